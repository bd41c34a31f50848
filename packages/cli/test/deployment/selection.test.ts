import { describe, expect, test } from '@jest/globals';
import type { ResourceState } from '../../../engine/src/resource-state.ts';
import { select } from '../../src/deployment/selection.ts';
import {
  FakeEngine,
  policyType,
  resource,
  result,
  roleType,
  stackNamed,
  step,
  urnOf,
} from '../fake-engine.ts';

const groupType = 'vault:identity/group:Group';
const aliasType = 'vault:identity/groupAlias:GroupAlias';

/** A resource below others, whose type is in its URN. */
function below(
  parent: ResourceState | undefined,
  type: string,
  name: string,
  inputs: ResourceState['inputs'] = {},
): ResourceState {
  const custom = !type.startsWith('gatehouse:');
  const types = parent === undefined ? type : `${parent.urn.split('::')[2]}$${type}`;
  const state = resource(type, name, { custom, inputs, urn: urnOf(types, name) });
  return parent === undefined ? state : { ...state, parent: parent.urn };
}

const provider = (name: string, role: string, group: string) => {
  const component = below(undefined, 'gatehouse:index:CloudDirectory', name);
  const method = below(component, 'gatehouse:index:AuthMethod', name);
  const mount = below(method, 'vault:jwt/authBackend:AuthBackend', `${name}-mount`, { path: name });
  const groupResource = below(component, groupType, `${name}-${group}-group`, { name: group });
  return {
    component,
    method,
    mount,
    group: groupResource,
    role: below(component, roleType, `${name}-${role}`, { roleName: role, backend: name }),
    alias: { ...below(component, aliasType, `${name}-x`, { name: 'x' }), dependencies: [groupResource.urn] },
  };
};
const staff = provider('staff', 'reader', 'admins');
const partners = provider('partners', 'reader', 'buyers');
const policy = below(undefined, policyType, 'secrets-read', { name: 'secrets-read' });
const everything = [...Object.values(staff), ...Object.values(partners), policy];

const plan = result(everything.map((state) => step('same', state)));
const chosen = (target: string[], exclude: string[] = []) =>
  select({ stack: stackNamed('dev'), verb: 'up', target, exclude }, new FakeEngine(plan));
const urns = (...states: ResourceState[]) => states.map(({ urn }) => urn).sort();

describe('select', () => {
  test.each([
    ['role reader', [staff.role, staff.component, partners.role, partners.component]],
    ['role staff/reader', [staff.role, staff.component]],
    ['role staff/reader', [staff.role, staff.component]],
    ['role staff/reader', [staff.role, staff.component]],
    ['role STAFF/Reader', [staff.role, staff.component]],
    ['role */reader', [staff.role, staff.component, partners.role, partners.component]],
    ['policy secrets-read', [policy]],
    ['policy secrets-????', [policy]],
    ['method staff', [staff.method, staff.mount, staff.component]],
    ['group admins', [staff.group, staff.alias, staff.component]],
    ['group staff/*', [staff.group, staff.alias, staff.component]],
    ['provider staff', Object.values(staff)],
  ])('%s is that part, with what belongs to it', async (name, states) => {
    const { targets, excludes } = await chosen([name]);
    expect({ targets: targets.toSorted(), excludes }).toEqual({ targets: urns(...states), excludes: [] });
  });

  test('a group in a component of its own is that component', async () => {
    const component = below(undefined, 'gatehouse:index:ExternalGroup', 'team');
    const group = below(component, groupType, 'team-group', { name: 'team' });
    const alias = below(component, aliasType, 'team-alias', { name: 'team' });
    const engine = new FakeEngine(result([component, group, alias, policy].map((one) => step('same', one))));
    const request = { stack: stackNamed('dev'), verb: 'up' as const, target: ['group team'], exclude: [] };
    expect((await select(request, engine)).targets.toSorted()).toEqual(urns(component, group, alias));
  });

  test('a group is with its alias where a plan does not say what depends on what', async () => {
    const group = { ...staff.group, id: 'group-1' };
    const alias = below(staff.component, aliasType, 'staff-y', { name: 'y', canonicalId: 'group-1' });
    const other = below(staff.component, aliasType, 'staff-z', { name: 'z', canonicalId: 'group-2' });
    const all = [staff.component, group, alias, other];
    const engine = new FakeEngine(result(all.map((one) => step('same', one))));
    const request = { stack: stackNamed('dev'), verb: 'up' as const, target: ['group admins'], exclude: [] };
    expect((await select(request, engine)).targets.toSorted()).toEqual(urns(staff.component, group, alias));
  });

  test('what is excluded has not its provider with it', async () => {
    const { targets, excludes } = await chosen([], ['role staff/reader']);
    expect({ targets, excludes }).toEqual({ targets: [], excludes: [staff.role.urn] });
  });

  test('of what is named, what is excluded is left out', async () => {
    const { targets, excludes } = await chosen(['provider staff'], ['group *']);
    expect(excludes).toEqual([]);
    expect(targets.toSorted()).toEqual(urns(staff.component, staff.method, staff.mount, staff.role));
  });

  test('nothing left is an error, never everything', async () => {
    await expect(chosen(['role reader'], ['role *'])).rejects.toMatchObject({ code: 'target_empty' });
  });

  test('a name of nothing is an error with the nearest', async () => {
    await expect(chosen(['role readr'])).rejects.toMatchObject({
      code: 'target_unknown',
      parts: { allowed: 'partners/reader, staff/reader', fix: "Did you mean 'role reader'?" },
    });
  });

  test('a dot and a bracket are no patterns', async () => {
    await expect(chosen(['policy secrets.read'])).rejects.toMatchObject({ code: 'target_unknown' });
    await expect(chosen(['policy [a-z]*'])).rejects.toMatchObject({ code: 'target_unknown' });
  });

  test('URNs of the state need no plan', async () => {
    const engine = new FakeEngine(plan);
    engine.exportState = async () => ({ deployment: { resources: [policy] } });
    const request = { stack: stackNamed('dev'), verb: 'up' as const, target: [policy.urn], exclude: [] };
    expect(await select(request, engine)).toEqual({ targets: [policy.urn], excludes: [] });
    expect(engine.requests).toEqual([]);
  });

  test('a URN of what the program adds is found in a plan', async () => {
    expect((await chosen([policy.urn])).targets).toEqual([policy.urn]);
  });

  test.each([`${policy.urn}x`, policy.urn.replace('secrets-read', 'secret*x')])(
    'a URN that is nowhere is an error with the nearest, whatever the engine makes of it: %s',
    async (urn) => {
      await expect(chosen([urn])).rejects.toMatchObject({
        code: 'target_unknown',
        parts: { fix: `Did you mean '${policy.urn}'?` },
      });
    },
  );

  test('stars in a URN stand for what they do for the Pulumi CLI', async () => {
    expect((await chosen([policy.urn.replace('secrets', '*')])).targets).toEqual([policy.urn]);
    const all = await chosen(['urn:pulumi:**-admins-group']);
    expect(all.targets).toContain(staff.group.urn);
    await expect(chosen(['urn:pulumi:*-admins-group'])).rejects.toMatchObject({ code: 'target_unknown' });
  });

  test('a URN to exclude that is nowhere is an error', async () => {
    await expect(chosen([], [`${policy.urn}x`])).rejects.toMatchObject({
      code: 'target_unknown',
      parts: { fix: `Did you mean '${policy.urn}'?` },
    });
  });

  test('destroy and refresh look in the state, without running the program', async () => {
    const engine = new FakeEngine(plan);
    engine.exportState = async () => ({ deployment: { resources: [policy] } });
    for (const verb of ['destroy', 'refresh'] as const) {
      const request = { stack: stackNamed('dev'), verb, target: ['policy secrets-*'], exclude: [] };
      expect(await select(request, engine)).toEqual({ targets: [policy.urn], excludes: [] });
    }
    expect(engine.requests).toEqual([]);
  });

  test('where the plan fails, the state still knows names', async () => {
    const engine = new FakeEngine(result([], { succeeded: false }));
    engine.exportState = async () => ({ deployment: { resources: [policy] } });
    const request = {
      stack: stackNamed('dev'),
      verb: 'up' as const,
      target: ['policy secrets-read'],
      exclude: [],
    };
    expect((await select(request, engine)).targets).toEqual([policy.urn]);
  });
});
