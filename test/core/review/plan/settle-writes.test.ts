import { describe, expect, test } from '@jest/globals';
import { compose, type Entry, entry, same } from './terraform.ts';

const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const staff = { path: 'staff', type: 'oidc', accessor: 'acc' };
const group = { id: 'gid', name: 'g', type: 'external', policies: ['p'] };
const alias = { id: 'aid', name: '/g', mount_accessor: 'acc', canonical_id: 'gid' };

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

  test('a mount of any kind that moves takes along what is in it, under its new path', () => {
    const found = compose([
      entry('vault_auth_backend.k', {
        before: { path: 'k8s', type: 'kubernetes', accessor: 'k' },
        after: { path: 'kube', type: 'kubernetes', accessor: 'k' },
      }),
      entry(
        'vault_kubernetes_auth_backend_role.r',
        same({ backend: 'k8s', role_name: 'r', token_policies: ['x'] }),
      ),
      entry('vault_identity_entity.e', same({ id: 'e1', name: 'bob', policies: ['p'] })),
      entry('vault_identity_entity_alias.a', same({ name: 'b', mount_accessor: 'k', canonical_id: 'e1' })),
    ]);
    const names = ({ others = [] }: typeof found.after) => others.map(({ name, method }) => [name, method]);
    expect(names(found.before)).toEqual([
      ['auth/k8s (kubernetes)', undefined],
      ['role "r" of auth/k8s (kubernetes)', 'k8s'],
      ['alias "b" of auth/k8s for entity "bob"', 'k8s'],
    ]);
    expect(names(found.after)).toEqual([
      ['auth/kube (kubernetes)', undefined],
      ['role "r" of auth/kube (kubernetes)', 'kube'],
      ['alias "b" of auth/kube for entity "bob"', 'kube'],
    ]);
    expect(found.unknown).toEqual([]);
  });

  test('a mount that is forgotten keeps its secret; another one in its stead has no other', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.staff', {
        before: { ...staff, oidc_client_secret: 'a' },
        after: { ...staff, path: 'people', oidc_client_secret: 'b' },
        actions: ['create', 'forget'],
      }),
    ]);
    expect(found.after.methods.map(({ path }) => path)).toEqual(['staff', 'people']);
    expect(found.rotated).toEqual([]);
  });

  test('what was left behind and is forgotten stays', () => {
    const { after } = compose([{ ...at('r', { before: role, actions: ['forget'] }), deposed: 'a1' }]);
    expect(after.roles).toHaveLength(1);
  });

  test('an alias that is written again on a mount that one resource deletes and another makes is gone', () => {
    const found = compose([
      entry('vault_jwt_auth_backend.old', { before: staff }),
      entry('vault_jwt_auth_backend.new', { after: { path: 'staff', type: 'oidc' } }),
      entry('vault_identity_group.g', same(group)),
      entry('vault_identity_group_alias.a', { before: alias, after: { ...alias, name: '/h' } }),
    ]);
    expect(found.after.aliases).toEqual([]);
    expect(found.orphaned).toEqual([{ type: 'alias', name: '/g', method: 'staff' }]);
  });
});
