import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../src/graph/graph.ts';
import type { AuthMethod } from '../../../src/graph/resources/auth-method.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { graphOf } from '../graphs.ts';
import {
  alias,
  aliasAt,
  bob,
  bobsAlias,
  compose,
  entry,
  group,
  groupAt,
  methodAt,
  role,
  roleAt,
  same,
  staff,
  terraform,
} from './terraform.ts';

const person = entry('vault_identity_entity.e', same(bob));
const external = entry(groupAt, same(group));
/** What a data source or the state has, as a plan tells it. */
const known = (type: string, mode: string, values: object, fields: object = {}) => ({
  prior_state: {
    values: { root_module: { resources: [{ address: `${type}.x`, mode, type, values, ...fields }] } },
  },
});

describe('methods of one path in two namespaces', () => {
  const ours = (namespace: string) => [
    entry(methodAt, same({ ...staff, namespace })),
    entry(groupAt, same({ ...group, namespace })),
    entry(aliasAt, { after: { ...alias, namespace } }),
  ];
  const other = entry('vault_auth_backend.k', same({ path: staff.path, type: 'kubernetes', namespace: 'b' }));

  test.each([
    ['first', [other, ...ours('a')]],
    ['last', [...ours('a'), other]],
  ])('are told apart, the other one %s', (_, resources) => {
    const changes = composeChanges(readPlan(terraform(resources)));
    const inA = changes.find(({ place }) => place.namespace === 'a')?.change.after;
    expect(inA?.aliases.map(({ name }) => name)).toEqual([alias.name]);
  });
});

describe('groups and entities', () => {
  test('members are named', () => {
    const internal = { name: 'i', type: 'internal', policies: ['Q'] };
    const members = { member_entity_ids: ['e1', 'e2'], member_group_ids: ['gid'] };
    const joined = { group_id: 'gid', member_group_ids: ['other'] };
    const { after } = compose([
      ...[person, external, entry('vault_identity_group.i', { after: { ...internal, ...members } })],
      entry('vault_identity_group_member_group_ids.m', { after: joined }),
    ]);
    const named = ['group g', 'entity bob', 'entity e2'].map((text) => {
      const [kind, name] = text.split(' ');
      return { kind, name };
    });
    expect(after.identities).toEqual([
      { kind: 'entity', name: 'bob', policies: ['p'] },
      { kind: 'group', name: 'i', policies: ['q'], members: named },
    ]);
  });

  test('a sign-in as an entity has its policies', () => {
    const { after } = compose([
      ...[entry(methodAt, same(staff)), person],
      entry('vault_identity_entity_policies.e', same({ entity_id: 'e1', policies: ['q'] })),
      entry('vault_identity_entity_alias.a', { after: bobsAlias }),
    ]);
    const rest = { method: 'staff', unites: true, entity: 'bob', effect: 'gives', policies: [], bounds: {} };
    const identity = { type: 'entityAlias', mount: 'staff', name: 'b' };
    expect(after.otherAccess).toEqual([
      { identity, name: 'alias "b" of auth/staff for entity "bob"', ...rest },
    ]);
  });
});

describe('an alias of another kind of auth method', () => {
  test('needs no role that reads groups: it gives what the group has', () => {
    const attached = (policies: string[]) => ({ group_id: 'gid', policies, exclusive: false });
    const { before, after, unknown } = compose([
      entry('vault_ldap_auth_backend.l', same({ path: 'ldap', accessor: 'acc', url: 'ldaps://d' })),
      ...[external, entry(aliasAt, same(alias))],
      entry('vault_identity_group_policies.p', { before: attached(['x']), after: attached(['y']) }),
    ]);
    const rest = { effect: 'gives', policies: [], method: 'ldap', unites: true, group: 'g', bounds: {} };
    for (const { otherAccess = [] } of [before, after]) {
      const name = 'alias "/g" of auth/ldap (ldap) for group "g"';
      expect(otherAccess.filter((one) => one.name.startsWith('alias'))).toMatchObject([{ name, ...rest }]);
    }
    expect([after.aliases, unknown]).toEqual([[], []]);
  });

  test.each([
    ['of a kind that a data source reads: roles elsewhere let people in', { type: 'oidc' }, []],
    ['of a kind that is not read', {}, [{ type: 'alias', name: '/g', method: 'staff', field: 'method' }]],
  ])('whose roles are not in the plan may be %s', (_, type, unknownParts) => {
    const { unknown } = compose(
      [external, entry(aliasAt, { after: alias })],
      known('vault_auth_backend', 'data', { accessor: 'acc', path: 'staff', ...type }),
    );
    expect(unknown).toEqual(unknownParts);
  });
});

describe('what a plan leaves out', () => {
  test('a policy that a data source reads has a text', () => {
    const read = known('vault_generic_secret', 'data', { path: 'sys/policies/acl/p', data: { policy: 'x' } });
    const { after } = compose([entry(roleAt, { after: role })], read);
    expect(after.policies).toEqual([{ name: 'p', text: 'x' }]);
  });

  test.each([
    ['disabled, as a data source reads', 'data', {}],
    ['disabled, which is hidden', 'managed', { disabled: true }],
  ])('an entity may be %s: then its alias keeps people out', (_, mode, sensitive_values) => {
    const disabled = { ...bob, policies: [], disabled: true };
    const changed = compose(
      [entry(methodAt, same(staff)), entry('vault_identity_entity_alias.b', { before: bobsAlias })],
      known('vault_identity_entity', mode, disabled, { sensitive_values }),
    );
    expect(changed.before.otherAccess).toContainEqual(
      expect.objectContaining({ method: 'staff', effect: 'either' }),
    );
  });

  test('a plan that only refreshes has no changes, and says what it found', () => {
    const plan = readPlan(
      JSON.stringify({ format_version: '1.2', planned_values: {}, resource_drift: [{}] }),
    );
    expect([plan.resources, plan.notes.length]).toEqual([[], 1]);
  });
});

describe('what the plan does not tell and its program declares', () => {
  const method = { path: 'm', type: 'jwt', accessor: 'acc' };
  const own = { ...role, backend: 'm' };
  const read = (resources: object[], parts: Partial<Graph>) => {
    const plan = { ...readPlan(terraform(resources)), declared: new Map([['', graphOf(parts)]]) };
    const [only] = composeChanges(plan);
    return only?.change;
  };
  const aliases = [{ name: '/g', method: 'm', group: 'g' }];
  const unknown = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true]));

  test('is taken from there', () => {
    const declared = { path: 'm', type: 'jwt', config: { jwksUrl: 'https://d' }, tune: { maxLeaseTtl: 5 } };
    const found = read(
      [
        entry(roleAt, {
          before: { ...own, bound_subject: 's' },
          after: own,
          after_unknown: unknown('token_policies', 'bound_subject'),
        }),
        entry(methodAt, {
          before: { ...method, bound_issuer: 'i' },
          after: method,
          after_unknown: unknown('jwks_url', 'tune', 'bound_issuer'),
        }),
      ],
      {
        roles: [{ method: 'm', name: 'r', roleType: 'jwt', userClaim: 'sub', policies: ['declared'] }],
        methods: [declared as AuthMethod],
      },
    );
    expect(found?.unknown).toEqual([]);
    expect(found?.after.roles[0]).toMatchObject({ policies: ['declared'] });
    expect(found?.after.roles[0]).not.toHaveProperty('boundSubject');
    expect(found?.after.methods).toEqual([declared]);
  });

  test('is not taken from a resource of another name', () => {
    const changed = entry(roleAt, { before: own, after: own, after_unknown: unknown('token_policies') });
    const found = read([changed], { roles: [{ method: 'm', name: 'x', roleType: 'jwt', userClaim: 'sub' }] });
    expect(found?.unknown).toEqual([{ type: 'role', method: 'm', name: 'r', field: 'policies' }]);
  });

  const other = { name: '/g', method: 'n', group: 'h' };
  const two = [...aliases, other];
  const big = { ...other, group: 'big-g' };
  const found: Record<string, [object, address: string, Graph['aliases'], Graph['aliases']]> = {
    'by its name': [{}, aliasAt, aliases, aliases],
    'by its method': [{ mount_accessor: 'acc' }, aliasAt, two, aliases],
    'by its group': [{ canonical_id: 'gid' }, aliasAt, two, aliases],
    'by the address': [{}, 'vault_identity_group_alias.x::m-/g-groupalias', two, aliases],
    'by the group in the address': [{}, 'vault_identity_group_alias.x-g-alias', two, aliases],
    'by the longest group': [{}, 'vault_identity_group_alias.x-big-g-alias', [...aliases, big], [big]],
    'not of two': [{}, aliasAt, two, []],
    'not under another name': [{}, aliasAt, [{ name: '/x', method: 'm', group: 'g' }], []],
  };
  test.each(Object.entries(found))('is an alias, found %s', (_, [known, address, declared, expected]) => {
    const one = {
      ...entry('vault_identity_group_alias.a', {
        after: { name: '/g', ...known },
        after_unknown: unknown(...['mount_accessor', 'canonical_id'].filter((field) => !(field in known))),
      }),
      address,
    };
    const found = read([entry(methodAt, same(method)), external, one], { aliases: declared });
    expect(found?.after.aliases).toEqual(expected);
    const isOpen = found?.unknown.some(({ type }) => type === 'alias');
    expect(isOpen).toBe(expected.length === 0);
  });
});

test('5,000 resources are read and composed within a second or two', () => {
  const inModule = (at: number, address: string, after: object, unknown: string) => ({
    ...entry(address, { after, after_unknown: { [unknown]: true } }),
    address: `module.t["k${at}"].${address}`,
  });
  const changes = Array.from({ length: 1250 }, (_, at) => [
    inModule(at, groupAt, { name: `g${at}`, type: 'external', policies: [`p${at}`] }, 'id'),
    inModule(at, aliasAt, { name: `/g${at}`, mount_accessor: 'acc' }, 'canonical_id'),
    entry(`vault_policy.p${at}`, { after: { name: `p${at}`, policy: 'x' } }),
    entry(`vault_jwt_auth_backend_role.r${at}`, same({ ...role, role_name: `r${at}` })),
  ]).flat();
  const references = ['vault_identity_group.g.id', 'vault_identity_group.g'];
  const resources = [
    { address: 'vault_identity_group_alias.a', expressions: { canonical_id: { references } } },
  ];
  const configuration = { root_module: { module_calls: { t: { module: { resources } } } } };
  const text = terraform([entry('vault_jwt_auth_backend.staff', same(staff)), ...changes], { configuration });
  const started = process.cpuUsage();
  const [first] = composeChanges(readPlan(text));
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(4000);
  expect(first?.change.after.aliases).toHaveLength(1250);
  expect(first?.change.unknown).toEqual([]);
});
