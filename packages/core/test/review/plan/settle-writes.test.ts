import { expect, test } from '@jest/globals';
import {
  alias,
  aliasAt,
  bob,
  bobsAlias,
  compose,
  type Entry,
  entry,
  group,
  groupAt,
  methodAt,
  role,
  same,
  staff,
} from './terraform.ts';

const at = (name: string, given: Entry) => entry(`vault_jwt_auth_backend_role.${name}`, given);
const onStaff = { ...role, backend: 'staff' };
const unknownRole = { type: 'role', name: 'r', method: 'ci' };
const [mount, external] = [entry(methodAt, same(staff)), entry(groupAt, same(group))];
/** The mount of people, deleted by one resource and made by another. */
const madeAnew = [
  entry('vault_jwt_auth_backend.old', { before: staff }),
  entry('vault_jwt_auth_backend.new', { after: { path: 'staff', type: 'oidc' } }),
];
const k8s = { path: 'k8s', type: 'kubernetes', accessor: 'acc' };
const onK8s = same({ backend: 'k8s', role_name: 'r', token_policies: ['x'] });
const workload = entry('vault_kubernetes_auth_backend_role.r', onK8s);
const person = entry('vault_identity_entity.e', same(bob));
const personsAlias = entry('vault_identity_entity_alias.a', same(bobsAlias));
const policiesOfEntity = entry(
  'vault_identity_entity_policies.e',
  same({ entity_id: 'e1', policies: ['q'] }),
);
const attached = entry('vault_identity_group_policies.g', same({ group_id: 'gid', policies: ['q'] }));

const leftover = (actions: string[]) => ({
  ...at('r', { before: { ...role, token_policies: ['old'] }, actions }),
  deposed: 'a1',
});

/** What remains, where all is known unless it says otherwise. */
const cases: Record<string, [changes: object[], found: { unknown?: object[]; [part: string]: unknown }]> = {
  'a role that goes by one name and comes by another: no order ties them': [
    [at('old', { before: role }), at('new', { after: role })],
    { unknown: [unknownRole] },
  ],
  'a role that goes, and is left as it is by another resource, is gone': [
    [at('old', { before: role }), at('other', same(role))],
    { after: { roles: [] } },
  ],
  'a role that is made anew under another name before the old one goes': [
    [at('r', { before: role, after: { ...role, role_name: 'new' }, actions: ['create', 'delete'] })],
    { after: { roles: [{ name: 'new' }] } },
  ],
  'a leftover of a role that is written at the same time': [
    [
      { ...at('r', { before: role }), deposed: 'a1' },
      at('r', { before: role, after: { ...role, token_policies: ['b'] } }),
    ],
    { unknown: [unknownRole] },
  ],
  ...Object.fromEntries(
    [
      [leftover(['delete']), at('r', same(role))],
      [at('r', same(role)), leftover(['delete'])],
      [leftover(['forget']), at('r', same(role))],
      [at('r', same(role)), leftover(['forget'])],
    ].map((changes, number) => [
      `a newer role is what was there, and not its leftover (${number})`,
      [
        changes,
        {
          before: { roles: [{ policies: ['a'] }] },
          after: { roles: number < 2 ? [] : [{ policies: ['a'] }] },
        },
      ],
    ]),
  ),
  'a mount that moves takes its roles and aliases along': [
    [
      entry(methodAt, { before: staff, after: { ...staff, path: 'people' } }),
      ...[at('r', same(onStaff)), external, entry(aliasAt, same(alias))],
    ],
    {
      before: { roles: [{ method: 'staff', name: 'r' }], aliases: [{ method: 'staff' }] },
      after: { roles: [{ method: 'people', name: 'r' }], aliases: [{ method: 'people' }] },
    },
  ],
  'a mount that is replaced loses the roles that are not written again': [
    [
      entry(methodAt, { before: staff, after: { ...staff, type: 'jwt' }, actions: ['delete', 'create'] }),
      at('stays', same({ ...onStaff, role_name: 'stays' })),
      at('again', { before: onStaff, after: { ...onStaff, token_policies: ['b'] } }),
    ],
    { after: { roles: [{ name: 'r' }] }, orphaned: [{ type: 'role', name: 'stays', method: 'staff' }] },
  ],
  'a mount that one resource deletes and another makes is replaced': [
    [...madeAnew, at('stays', same(onStaff))],
    { replaced: [{ type: 'method', name: 'staff' }], after: { roles: [] } },
  ],
  'an alias that moves away from a group elsewhere: what is lost is not known': [
    [mount, external, entry(aliasAt, { before: { ...alias, canonical_id: 'other' }, after: alias })],
    { unknown: [{ type: 'group', name: 'other', field: 'policies' }] },
  ],
  'a group that changes writes its whole list: what is attached and stays is gone': [
    [mount, entry(groupAt, { before: group, after: { ...group, policies: ['x'] } }), attached],
    { after: { groups: [{ name: 'g', policies: ['x'] }], identities: [] } },
  ],
  'a group that leaves its list to others leaves what is attached': [
    [
      mount,
      entry(groupAt, {
        before: { ...group, external_policies: true },
        after: { ...group, external_policies: true, metadata: { a: 'b' } },
      }),
      attached,
    ],
    { after: { identities: [{ name: 'g', policies: ['q'] }] } },
  ],
  'members are not attached to an external group': [
    [
      external,
      person,
      entry('vault_identity_group_member_entity_ids.m', {
        after: { group_id: 'gid', member_entity_ids: ['e1'] },
      }),
    ],
    { after: { identities: [{ name: 'bob' }] } },
  ],
  'a group that goes takes its alias and what is attached to it along': [
    [
      ...[mount, entry(groupAt, { before: group }), entry(aliasAt, same(alias))],
      entry('vault_identity_group_policies.p', same({ group_id: 'gid', policies: ['x'] })),
    ],
    { after: { groups: [], aliases: [], identities: [] } },
  ],
  'an entity that goes takes its alias and what is attached to it along': [
    [mount, entry('vault_identity_entity.e', { before: bob }), policiesOfEntity, personsAlias],
    { before: { identities: [{}, {}], otherAccess: [{}] }, after: { identities: [], otherAccess: [] } },
  ],
  'a new alias of a group takes the place of its old one': [
    [mount, external, entry(aliasAt, same(alias)), aliasNamed('b')],
    { after: { aliases: [{ name: '/b' }] } },
  ],
  'an alias that is written again for its group leaves another one': [
    [
      ...[mount, external, entry(aliasAt, { before: alias, after: { ...alias, name: '/h' } })],
      entry('vault_identity_group_alias.b', same({ ...alias, id: 'bid', name: '/b' })),
    ],
    { after: { aliases: [{ name: '/h' }, { name: '/b' }] } },
  ],
  'a role that is made where a mount moves to takes the place of the one there': [
    [
      entry(methodAt, { before: staff, after: { ...staff, path: 'people' } }),
      ...[
        at('r', same(onStaff)),
        at('new', { after: { ...role, backend: 'people', token_policies: ['b'] } }),
      ],
    ],
    { after: { roles: [{ method: 'people', policies: ['b'] }] } },
  ],
  'of two new aliases of one group, no one knows which stays': [
    [mount, external, ...['a', 'b'].map((name) => aliasNamed(name))],
    { unknown: ['/a', '/b'].map((name) => expect.objectContaining({ name })) },
  ],
  'a mount that is deleted takes the roles of any kind along': [
    [entry('vault_auth_backend.k', { before: k8s }), workload],
    { before: { otherAccess: [{}, {}] }, after: { otherAccess: [] } },
  ],
  'a mount of any kind that moves takes along what is in it, under its new path': [
    [
      entry('vault_auth_backend.k', { before: k8s, after: { ...k8s, path: 'kube' } }),
      ...[workload, person, personsAlias],
    ],
    { before: { otherAccess: otherRolesOf('k8s') }, after: { otherAccess: otherRolesOf('kube') } },
  ],
  'a mount that is forgotten keeps its secret; another one in its stead has no other': [
    [
      entry(methodAt, {
        before: { ...staff, oidc_client_secret: 'a' },
        after: { ...staff, path: 'people', oidc_client_secret: 'b' },
        actions: ['create', 'forget'],
      }),
    ],
    { after: { methods: [{ path: 'staff' }, { path: 'people' }] }, rotated: [] },
  ],
  'what was left behind and is forgotten stays': [
    [{ ...at('r', { before: role, actions: ['forget'] }), deposed: 'a1' }],
    { after: { roles: [{}] } },
  ],
  'an alias that is written again on a mount that one resource deletes and another makes is gone': [
    [...madeAnew, external, entry(aliasAt, { before: alias, after: { ...alias, name: '/h' } })],
    { after: { aliases: [] }, orphaned: [{ type: 'alias', name: '/g', method: 'staff' }] },
  ],
};
test.each(Object.entries(cases))('%s', (_, [changes, { unknown = [], ...found }]) => {
  const change = compose(changes);
  expect(change.unknown).toEqual(unknown);
  const after = { identities: [], otherAccess: [], ...change.after };
  expect({ ...change, after }).toMatchObject(found);
});

function aliasNamed(name: string): object {
  return entry(`vault_identity_group_alias.${name}`, { after: { ...alias, name: `/${name}` } });
}

function otherRolesOf(path: string): object[] {
  return [
    { name: `auth/${path} (kubernetes)` },
    { name: `role "r" of auth/${path} (kubernetes)`, method: path },
    { name: `alias "b" of auth/${path} for entity "bob"`, method: path },
  ];
}
