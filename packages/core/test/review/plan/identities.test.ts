import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../src/graph/graph.ts';
import { ofKind } from '../../../src/graph/nodes/other-node.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { entries, graph } from '../../worlds.ts';
import {
  aliasAt,
  compose,
  composed,
  entry,
  groupAt,
  role,
  same,
  staff,
  terraform,
  unknownIn,
} from './terraform.ts';

/** What a data source or the state has, as a plan tells it. */
const known = (type: string, mode: string, values: object, rest: object = {}) => ({
  prior_state: {
    values: { root_module: { resources: [{ address: `${type}.x`, mode, type, values, ...rest }] } },
  },
});

test.each([
  ['first', (other: string, own: string) => `${other}\n ${own}`],
  ['last', (other: string, own: string) => `${own}\n ${other}`],
])('methods of one path in two namespaces are told apart, the other one %s', (_, inOrder) => {
  const own = 'method staff namespace: a\n group g p namespace: a\n + alias /g staff g namespace: a';
  const other = 'auth_backend.k path: staff, type: kubernetes, namespace: b';
  const inA = composed(inOrder(other, own)).find(({ place }) => place.namespace === 'a');
  expect(inA?.change.after.aliases.map(({ name }) => name)).toEqual(['/g']);
});

describe('groups and entities', () => {
  test('members are named', () => {
    const { after } = compose(`
      entity bob p
      group g p
      + internal i Q entity:bob entity:e2 group:g
      + identity_group_member_group_ids.m group_id: id-g, member_group_ids: [other]`);
    const members = ['group g', 'entity bob', 'entity id-e2'].map((text) => {
      const [kind, name] = text.split(' ');
      return { kind, name };
    });
    expect(after.identities).toEqual([
      { kind: 'entity', name: 'bob', policies: ['p'] },
      { kind: 'group', name: 'i', policies: ['q'], members },
    ]);
  });

  test('a sign-in as an entity has its policies', () => {
    const { after } = compose(`
      method staff
      entity bob p
      identity_entity_policies.e entity_id: id-bob, policies: [q]
      + entity-alias b staff bob`);
    expect(after.others).toEqual(graph('entity-alias b staff bob').others);
  });
});

describe('an alias of another kind of auth method', () => {
  test('needs no role that reads groups: it gives what the group has', () => {
    const { before, after, unknown } = compose(`
      ldap_auth_backend.l path: ldap, accessor: acc-ldap, url: ldaps://d
      group g p
      alias /g ldap g
      ~ attach g x exclusive: false → y`);
    for (const { others = [] } of [before, after]) {
      expect(ofKind(others, 'otherAlias')).toEqual(graph('group-alias /g ldap ldap g').others);
    }
    expect([after.aliases, unknown]).toEqual([[], []]);
  });

  test.each([
    ['of a kind that a data source reads: roles elsewhere let people in', { type: 'oidc' }, []],
    ['of a kind that is not read', {}, ['alias staff//g method']],
  ])('whose roles are not in the plan may be %s', (_, type, unknown) => {
    const found = compose(
      'group g p\n + alias /g staff g',
      known('vault_auth_backend', 'data', { accessor: 'acc-staff', path: 'staff', ...type }),
    );
    expect(unknownIn(found)).toEqual(unknown);
  });
});

describe('what a plan leaves out', () => {
  test('a policy that a data source reads has a text', () => {
    const read = known('vault_generic_secret', 'data', { path: 'sys/policies/acl/p', data: { policy: 'x' } });
    const { after } = compose('+ role r p', read);
    expect(after.policies).toEqual([{ name: 'p', text: 'x' }]);
  });

  test.each([
    ['disabled, as a data source reads', 'data', {}],
    ['disabled, which is hidden', 'managed', { disabled: true }],
  ])('an entity may be %s: then its alias keeps people out', (_, mode, sensitive_values) => {
    const bob = { id: 'id-bob', name: 'bob', policies: [], disabled: true };
    const changed = compose(
      'method staff\n - entity-alias b staff bob',
      known('vault_identity_entity', mode, bob, { sensitive_values }),
    );
    expect(changed.before.others).toContainEqual(
      expect.objectContaining({ kind: 'entityAlias', method: 'staff', isOfDisabled: true }),
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
  const read = (resources: string | object[], declared: Graph) => {
    const all = typeof resources === 'string' ? entries(resources) : resources;
    const plan = { ...readPlan(terraform(all)), declared: new Map([['', declared]]) };
    return composeChanges(plan)[0]?.change;
  };
  const aliases = [{ name: '/g', method: 'm', group: 'g' }];

  test('is taken from there', () => {
    const declared = graph(`
      role m/r declared
      method m jwksUrl: https://d, tune: {maxLeaseTtl: 5}`);
    const found = read(
      `~ role m/r a bound_subject: s → token_policies?, bound_subject?
       ~ method m bound_issuer: i → jwks_url?, tune?, bound_issuer?`,
      declared,
    );
    expect(found?.unknown).toEqual([]);
    expect(found?.after.roles[0]).toMatchObject({ policies: ['declared'] });
    expect(found?.after.roles[0]).not.toHaveProperty('boundSubject');
    expect(found?.after.methods).toEqual(declared.methods);
  });

  test('is not taken from a resource of another name', () => {
    const found = read('~ role m/r a → token_policies?', graph('role m/x'));
    expect(found && unknownIn(found)).toEqual(['role m/r policies']);
  });

  const other = { name: '/g', method: 'n', group: 'h' };
  const two = [...aliases, other];
  const big = { ...other, group: 'big-g' };
  const found: Record<string, [object, address: string, Graph['aliases'], Graph['aliases']]> = {
    'by its name': [{}, aliasAt, aliases, aliases],
    'by its method': [{ mount_accessor: 'acc-m' }, aliasAt, two, aliases],
    'by its group': [{ canonical_id: 'id-g' }, aliasAt, two, aliases],
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
        after_unknown: Object.fromEntries(
          ['mount_accessor', 'canonical_id'].flatMap((field) => (field in known ? [] : [[field, true]])),
        ),
      }),
      address,
    };
    const found = read([...entries('method m\n group g p'), one], { ...graph(''), aliases: declared });
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
