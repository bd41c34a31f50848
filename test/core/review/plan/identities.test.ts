import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../../core/model/graph.ts';
import { composeChanges } from '../../../../core/review/plan/compose-change.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { graphOf } from '../graphs.ts';
import { compose, entry, same, terraform } from './terraform.ts';

const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const roleAt = 'vault_jwt_auth_backend_role.r';
const staff = { path: 'staff', type: 'oidc', accessor: 'acc' };
const group = { id: 'gid', name: 'g', type: 'external', policies: ['p'] };
const alias = { id: 'aid', name: '/g', mount_accessor: 'acc', canonical_id: 'gid' };

describe('groups and entities', () => {
  test('members are named', () => {
    const { after } = compose([
      entry('vault_identity_entity.e', same({ id: 'e1', name: 'bob', policies: ['p'] })),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group.i', {
        after: {
          name: 'i',
          type: 'internal',
          policies: ['Q'],
          member_entity_ids: ['e1', 'e2'],
          member_group_ids: ['gid'],
        },
      }),
      entry('vault_identity_group_member_group_ids.m', {
        after: { group_id: 'gid', member_group_ids: ['other'] },
      }),
    ]);
    expect(after.holders).toEqual([
      { kind: 'entity', name: 'bob', policies: ['p'] },
      {
        kind: 'group',
        name: 'i',
        policies: ['q'],
        members: [
          { kind: 'group', name: 'g' },
          { kind: 'entity', name: 'bob' },
          { kind: 'entity', name: 'e2' },
        ],
      },
      { kind: 'group', name: 'g', policies: [], members: [{ kind: 'group', name: 'other' }] },
    ]);
  });

  test('whoever signs in as an entity has its policies', () => {
    const { after } = compose([
      entry('vault_jwt_auth_backend.staff', same(staff)),
      entry('vault_identity_entity.e', same({ id: 'e1', name: 'bob', policies: ['p'] })),
      entry('vault_identity_entity_policies.e', same({ entity_id: 'e1', policies: ['q'] })),
      entry('vault_identity_entity_alias.a', {
        after: { name: 'b@x', mount_accessor: 'acc', canonical_id: 'e1' },
      }),
    ]);
    expect(after.others).toEqual([
      {
        name: 'alias "b@x" of auth/staff for entity "bob"',
        method: 'staff',
        unites: true,
        entity: 'bob',
        effect: 'gives',
        policies: [],
        bounds: {},
      },
    ]);
  });
});

describe('an alias of another kind of auth method', () => {
  const ldap = entry('vault_ldap_auth_backend.l', same({ path: 'ldap', accessor: 'acc', url: 'ldaps://d' }));
  const attached = (policies: string[]) => ({ group_id: 'gid', policies, exclusive: false });

  test('needs no role that reads groups: it gives what the group has', () => {
    const { before, after, unknown } = compose([
      ldap,
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', same(alias)),
      entry('vault_identity_group_policies.p', { before: attached(['x']), after: attached(['y']) }),
    ]);
    const ways = [before, after].map(({ others = [] }) =>
      others.filter(({ name }) => name.startsWith('alias')),
    );
    const name = 'alias "/g" of auth/ldap (ldap) for group "g"';
    expect(ways).toEqual([
      [{ name, effect: 'gives', policies: [], method: 'ldap', unites: true, group: 'g', bounds: {} }],
      [{ name, effect: 'gives', policies: [], method: 'ldap', unites: true, group: 'g', bounds: {} }],
    ]);
    expect([after.aliases, unknown]).toEqual([[], []]);
  });

  test('whose roles are not in the plan cannot be judged', () => {
    const values = { accessor: 'acc', path: 'staff', type: 'oidc' };
    const resources = [
      { address: 'data.vault_auth_backend.s', mode: 'data', type: 'vault_auth_backend', values },
    ];
    const { unknown } = compose(
      [entry('vault_identity_group.g', same(group)), entry('vault_identity_group_alias.a', { after: alias })],
      { prior_state: { values: { root_module: { resources } } } },
    );
    expect(unknown).toEqual([{ type: 'alias', name: '/g', method: 'staff', field: 'method' }]);
  });
});

describe('what a plan leaves out', () => {
  test('a policy that a data source reads has a text', () => {
    const values = { path: 'sys/policies/acl/p', data: { policy: 'x' } };
    const prior_state = {
      values: {
        root_module: {
          resources: [
            { address: 'data.vault_generic_secret.p', mode: 'data', type: 'vault_generic_secret', values },
          ],
        },
      },
    };
    expect(compose([entry(roleAt, { after: role })], { prior_state }).after.policies).toEqual([
      { name: 'p', text: 'x' },
    ]);
  });

  test.each([
    ['disabled, as a data source reads', 'data', {}],
    ['disabled, which is hidden', 'managed', { disabled: true }],
  ])('an entity may be %s: then its alias keeps people out', (_, mode, sensitive_values) => {
    const values = { id: 'e1', name: 'bob', policies: [], disabled: true };
    const type = 'vault_identity_entity';
    const resources = [{ address: `${type}.bob`, mode, type, values, sensitive_values }];
    const before = { name: 'b', mount_accessor: 'acc', canonical_id: 'e1' };
    const changed = compose(
      [entry('vault_jwt_auth_backend.s', same(staff)), entry('vault_identity_entity_alias.b', { before })],
      { prior_state: { values: { root_module: { resources } } } },
    );
    expect(changed.before.others).toContainEqual(
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
  const [methodAt, groupAt] = ['vault_jwt_auth_backend.m', 'vault_identity_group.g'];
  const aliasAt = 'vault_identity_group_alias.a';
  const method = { path: 'm', type: 'jwt', accessor: 'acc' };
  const own = { ...role, backend: 'm' };
  const read = (resources: object[], parts: Partial<Graph>) => {
    const plan = { ...readPlan(terraform(resources)), declared: graphOf(parts) };
    const [only] = composeChanges(plan);
    return only?.change;
  };
  const aliases = [{ name: '/g', method: 'm', group: 'g' }];
  const unknown = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true]));

  test('is taken from there', () => {
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
        methods: [
          { path: 'm', type: 'jwt', config: { jwksUrl: 'https://declared' }, tune: { maxLeaseTtl: 5 } },
        ],
      },
    );
    expect(found?.unknown).toEqual([]);
    expect(found?.after.roles[0]).toMatchObject({ policies: ['declared'] });
    expect(found?.after.roles[0]).not.toHaveProperty('boundSubject');
    expect(found?.after.methods).toEqual([
      { path: 'm', type: 'jwt', config: { jwksUrl: 'https://declared' }, tune: { maxLeaseTtl: 5 } },
    ]);
  });

  test('is not taken from a resource of another name', () => {
    const found = read(
      [entry(roleAt, { before: own, after: own, after_unknown: unknown('token_policies') })],
      {
        roles: [{ method: 'm', name: 'x', roleType: 'jwt', userClaim: 'sub' }],
      },
    );
    expect(found?.unknown).toEqual([{ type: 'role', method: 'm', name: 'r', field: 'policies' }]);
  });

  const found: Record<string, [object, string, Graph['aliases'], Graph['aliases']]> = {
    'by its name': [{}, aliasAt, aliases, aliases],
    'by its method': [
      { mount_accessor: 'acc' },
      aliasAt,
      [...aliases, { name: '/g', method: 'n', group: 'h' }],
      aliases,
    ],
    'by its group': [
      { canonical_id: 'gid' },
      aliasAt,
      [...aliases, { name: '/g', method: 'n', group: 'h' }],
      aliases,
    ],
    'by the address': [
      {},
      'vault_identity_group_alias.x::m-/g-groupalias',
      [...aliases, { name: '/g', method: 'n', group: 'h' }],
      aliases,
    ],
    'by the group in the address': [
      {},
      'vault_identity_group_alias.x-g-alias',
      [...aliases, { name: '/g', method: 'n', group: 'h' }],
      aliases,
    ],
    'by the longest group in the address': [
      {},
      'vault_identity_group_alias.x-big-g-alias',
      [...aliases, { name: '/g', method: 'n', group: 'big-g' }],
      [{ name: '/g', method: 'n', group: 'big-g' }],
    ],
    'not of two': [{}, aliasAt, [...aliases, { name: '/g', method: 'n', group: 'h' }], []],
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
    const found = read([entry(methodAt, same(method)), entry(groupAt, same(group)), one], {
      aliases: declared,
    });
    expect(found?.after.aliases).toEqual(expected);
    const isOpen = found?.unknown.some(({ type }) => type === 'alias');
    expect(isOpen).toBe(expected.length === 0);
  });
});

test('5,000 resources are read and composed within a second or two', () => {
  const changes = Array.from({ length: 1250 }, (_, at) => [
    {
      ...entry('vault_identity_group.g', {
        after: { name: `g${at}`, type: 'external', policies: [`p${at}`] },
        after_unknown: { id: true },
      }),
      address: `module.t["k${at}"].vault_identity_group.g`,
    },
    {
      ...entry('vault_identity_group_alias.a', {
        after: { name: `/g${at}`, mount_accessor: 'acc' },
        after_unknown: { canonical_id: true },
      }),
      address: `module.t["k${at}"].vault_identity_group_alias.a`,
    },
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
