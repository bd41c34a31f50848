import { describe, expect, test } from '@jest/globals';
import { compose, composed, type Entry, entry, same } from './terraform.ts';

const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const staff = { path: 'staff', type: 'oidc', accessor: 'acc' };
const group = { id: 'gid', name: 'g', type: 'external', policies: ['p'] };
const alias = { id: 'aid', name: '/g', mount_accessor: 'acc', canonical_id: 'gid' };

describe('where a resource is', () => {
  const at = (address: string, key: string) => ({ address, provider_config_key: key });
  const configuration = (providers: Record<string, object>, resources: object[], module_calls = {}) => ({
    configuration: {
      provider_config: Object.fromEntries(
        Object.entries(providers).map(([key, expressions]) => [key, { name: 'vault', expressions }]),
      ),
      root_module: { resources, module_calls },
    },
  });
  const policy = (name: string) => ({ name, policy: '' });
  const address = (value: string) => ({ address: { constant_value: value } });
  const one = entry('vault_policy.a', { after: policy('a') });
  const other = entry('vault_policy.b', { after: policy('b') });

  test('two configurations of one address are one server', () => {
    const rest = configuration({ vault: address('https://a'), 'vault.again': address('https://a') }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.again'),
    ]);
    expect(composed([one, other], rest).map(({ place }) => place)).toEqual([{}]);
  });

  test('the same variable of two modules is two servers', () => {
    const expressions = { address: { references: ['var.address'] } };
    const module = (name: string) => ({
      module: { resources: [at('vault_policy.a', `module.${name}:vault`)] },
    });
    const rest = configuration({ 'module.dev:vault': expressions, 'module.prod:vault': expressions }, [], {
      dev: module('dev'),
      prod: module('prod'),
    });
    const inside = ['dev', 'prod'].map((name) => ({ ...one, address: `module.${name}.vault_policy.a` }));
    expect(composed(inside, rest).map(({ place }) => place)).toEqual([
      { server: 'module.dev:vault' },
      { server: 'module.prod:vault' },
    ]);
  });

  test('a configuration’s own namespace is the start of its resources’', () => {
    const rest = configuration({ vault: {}, 'vault.team': { namespace: { constant_value: 'team/' } } }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.team'),
    ]);
    const inner = entry('vault_policy.b', { after: { ...policy('b'), namespace: 'sub' } });
    expect(composed([one, inner], rest).map(({ place }) => place)).toEqual([{}, { namespace: 'team/sub' }]);
  });

  test('a module that was given a configuration has it, whatever its instances are called', () => {
    const module = { team: { module: { resources: [at('vault_policy.a', 'module.team:vault.dev')] } } };
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [at('vault_policy.b', 'vault.prod')],
      module,
    );
    const inside = {
      ...entry('vault_policy.a', { after: policy('a') }),
      address: 'module.team["x.y"].vault_policy.a',
    };
    expect(composed([inside, other], rest).map(({ place }) => place)).toEqual([
      { server: 'vault.dev' },
      { server: 'vault.prod' },
    ]);
  });

  test('a resource that is no longer in the configuration may be on either of two servers', () => {
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [at('vault_policy.b', 'vault.prod')],
    );
    const gone = entry('vault_policy.gone', { before: policy('gone') });
    const unknown = composed([gone, other], rest).flatMap(({ change }) => change.unknown);
    expect(unknown).toEqual([{ type: 'policy', name: 'vault_policy.gone' }]);
  });

  test('an accessor that two servers have is lost on one of them only', () => {
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [
        at('vault_jwt_auth_backend.dev', 'vault.dev'),
        at('vault_jwt_auth_backend.prod', 'vault.prod'),
        at('vault_identity_group.g', 'vault.prod'),
        at('vault_identity_group_alias.a', 'vault.prod'),
      ],
    );
    const changes = [
      entry('vault_jwt_auth_backend.dev', { before: staff }),
      entry('vault_jwt_auth_backend.prod', same(staff)),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', same(alias)),
    ];
    expect(composed(changes, rest).map(({ change }) => change.after.aliases.length)).toEqual([0, 1]);
  });

  test('one that moves to another namespace is deleted in one and made in the other', () => {
    const moves = entry('vault_policy.a', {
      before: { ...policy('a'), namespace: 'x' },
      after: { ...policy('a'), namespace: 'y' },
      actions: ['delete', 'create'],
    });
    const states = composed([moves]).map(({ place, change: { before, after, unknown } }) => [
      place.namespace,
      before.policies.length,
      after.policies.length,
      unknown,
    ]);
    expect(states).toEqual([
      ['x', 1, 0, []],
      ['y', 0, 1, []],
    ]);
  });

  test('the same name in two namespaces is two things', () => {
    const within = (namespace: string) =>
      entry(`vault_policy.${namespace}`, { after: { ...policy('a'), namespace } });
    expect(composed([within('x'), within('y')]).flatMap(({ change }) => change.unknown)).toEqual([]);
  });
});

describe('what remains of what is written and deleted', () => {
  const at = (name: string, given: Entry) => entry(`vault_jwt_auth_backend_role.${name}`, given);

  test('a role that goes by one name and comes by another: no order ties them', () => {
    const { unknown } = compose([at('old', { before: role }), at('new', { after: role })]);
    expect(unknown).toEqual([{ type: 'role', name: 'r', method: 'ci' }]);
  });

  test('a role that goes, and is left as it is by another resource, is gone', () => {
    const { after, unknown } = compose([at('old', { before: role }), at('other', same(role))]);
    expect([after.roles, unknown]).toEqual([[], []]);
  });

  test('a role that is made anew under another name before the old one goes', () => {
    const { after, unknown } = compose([
      at('r', { before: role, after: { ...role, role_name: 'new' }, actions: ['create', 'delete'] }),
    ]);
    expect([after.roles.map(({ name }) => name), unknown]).toEqual([['new'], []]);
  });

  test('a leftover of a role that is written at the same time: nobody knows', () => {
    const { unknown } = compose([
      { ...at('r', { before: role }), deposed: 'a1' },
      at('r', { before: role, after: { ...role, token_policies: ['b'] } }),
    ]);
    expect(unknown).toEqual([{ type: 'role', name: 'r', method: 'ci' }]);
  });

  test('a mount that moves takes its roles and aliases along', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.staff', { before: staff, after: { ...staff, path: 'people' } }),
      at('r', same({ ...role, backend: 'staff' })),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', same(alias)),
    ]);
    expect(found.before.roles).toMatchObject([{ method: 'staff', name: 'r' }]);
    expect(found.after.roles).toMatchObject([{ method: 'people', name: 'r' }]);
    expect([found.before.aliases, found.after.aliases]).toMatchObject([
      [{ method: 'staff' }],
      [{ method: 'people' }],
    ]);
    expect(found.unknown).toEqual([]);
  });

  test('a mount that is replaced loses the roles that are not written again', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.staff', {
        before: staff,
        after: { ...staff, type: 'jwt' },
        actions: ['delete', 'create'],
      }),
      at('stays', same({ ...role, backend: 'staff', role_name: 'stays' })),
      at('again', {
        before: { ...role, backend: 'staff' },
        after: { ...role, backend: 'staff', token_policies: ['b'] },
      }),
    ]);
    expect(found.after.roles.map(({ name }) => name)).toEqual(['r']);
    expect(found.orphaned).toEqual([{ type: 'role', name: 'stays', method: 'staff' }]);
  });

  test('a mount that one resource deletes and another makes is replaced', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.old', { before: staff }),
      entry('vault_jwt_auth_backend.new', { after: { path: 'staff', type: 'oidc' } }),
      at('stays', same({ ...role, backend: 'staff' })),
    ]);
    expect([found.replaced, found.after.roles]).toEqual([[{ type: 'method', name: 'staff' }], []]);
  });

  test('an alias that moves away from a group that nobody knows: what is lost is not known', () => {
    const { unknown } = compose([
      entry('vault_jwt_auth_backend.staff', same(staff)),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', { before: { ...alias, canonical_id: 'other' }, after: alias }),
    ]);
    expect(unknown).toEqual([{ type: 'group', name: 'other', field: 'policies' }]);
  });

  test('a group that goes takes its alias and what is attached to it along', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.staff', same(staff)),
      entry('vault_identity_group.g', { before: group }),
      entry('vault_identity_group_alias.a', same(alias)),
      entry('vault_identity_group_policies.p', same({ group_id: 'gid', policies: ['x'] })),
    ]);
    expect([found.after.groups, found.after.aliases, found.after.holders]).toEqual([[], [], undefined]);
  });

  test('an entity that goes takes its alias and what is attached to it along', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.staff', same(staff)),
      entry('vault_identity_entity.e', { before: { id: 'e1', name: 'bob', policies: ['p'] } }),
      entry('vault_identity_entity_policies.e', same({ entity_id: 'e1', policies: ['q'] })),
      entry('vault_identity_entity_alias.a', same({ name: 'b', mount_accessor: 'acc', canonical_id: 'e1' })),
    ]);
    expect([found.before.holders?.length, found.before.others?.length]).toEqual([2, 1]);
    expect([found.after.holders, found.after.others]).toEqual([undefined, undefined]);
  });

  test('of two new aliases of one group, nobody knows which stays', () => {
    const { unknown } = compose([
      entry('vault_jwt_auth_backend.staff', same(staff)),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', { after: { ...alias, name: '/a' } }),
      entry('vault_identity_group_alias.b', { after: { ...alias, name: '/b' } }),
    ]);
    expect(unknown.map(({ name }) => name)).toEqual(['/a', '/b']);
  });

  test('a mount that is deleted takes the roles of any kind along', () => {
    const found = compose([
      entry('vault_auth_backend.k', { before: { path: 'k8s', type: 'kubernetes', accessor: 'k' } }),
      entry(
        'vault_kubernetes_auth_backend_role.r',
        same({ backend: 'k8s', role_name: 'r', token_policies: ['x'] }),
      ),
    ]);
    expect(found.before.others).toHaveLength(2);
    expect(found.after.others).toBeUndefined();
  });
});
