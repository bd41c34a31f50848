import { describe, expect, test } from '@jest/globals';
import { roleBody } from '../../../src/graph/resources/role-body.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { originOf } from '../../../src/review/plan/compose-place.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';
import { compose, type Entry, entry, same, terraform } from './terraform.ts';

const [roleAt, methodAt] = ['vault_jwt_auth_backend_role.r', 'vault_jwt_auth_backend.m'];
const [groupAt, aliasAt] = ['vault_identity_group.g', 'vault_identity_group_alias.a'];
const policiesAt = 'vault_identity_group_policies.p';
const role = { backend: 'm', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
const method = { path: 'm', type: 'jwt', accessor: 'acc' };
const group = { id: 'gid', name: 'g', type: 'external', policies: ['p'] };
const alias = { id: 'aid', name: '/g', mount_accessor: 'acc', canonical_id: 'gid' };
const attached = { group_id: 'gid', policies: ['x'] };
const other = { ...group, type: 'internal' };
const outer = { id: 'oid', name: 'outer', type: 'internal', policies: ['o'] };
const bob = { id: 'eid', name: 'bob', policies: ['b'] };
const [own, of] = [same(method), (field: string) => ({ type: 'role', method: 'm', name: 'r', field })];
const ofGroup = (field: string, name = 'g') => ({ type: 'group', name, field });
const unknownMount = { type: 'alias', name: '/g', method: 'm', field: 'method' };
const marked = (side: object, ...names: string[]): Entry => {
  const marks = Object.fromEntries(names.map((name) => [name, true]));
  return { ...same(side), before_sensitive: marks, after_sensitive: marks };
};
const changed = { before: method, after: { ...method, bound_issuer: 'x' } };

const [m, g, a] = [entry(methodAt, own), entry(groupAt, same(group)), entry(aliasAt, same(alias))];
const newAlias = entry(aliasAt, { after: alias });
const grant = 'path "a" { capabilities = ["read"] }';
const denial = 'path "a" { capabilities = ["deny"] }';
const policyFrom = (before: string, after: string) =>
  entry('vault_policy.p', { before: { name: 'p', policy: before }, after: { name: 'p', policy: after } });
const shared = { ...other, external_policies: true, policies: [] };
const internal = entry(groupAt, same(other));
const secretly = (field: string) => entry(roleAt, marked(role, field));
const becomesOnly = entry(policiesAt, { before: { ...attached, exclusive: false }, after: attached });

const cases: Record<string, [object[], ...object[]]> = {
  'nothing changes': [[m, g, a]],
  'an alias leads to a group that is here': [[m, g, newAlias]],
  'an alias leads to a group elsewhere': [[m, newAlias], ofGroup('policies', 'gid')],
  'an alias leads to a group elsewhere that gets policies here': [
    [m, newAlias, entry(policiesAt, same(attached))],
    ofGroup('policies', 'gid'),
  ],
  'an alias leads no more to a group elsewhere': [
    [m, entry(aliasAt, { before: alias })],
    ofGroup('policies', 'gid'),
  ],
  'an alias is on a mount elsewhere': [[g, newAlias], { ...unknownMount, method: 'acc' }],
  'an alias of an entity elsewhere': [
    [m, entry('vault_identity_entity_alias.a', { after: alias })],
    { type: 'entity', name: 'gid', field: 'policies' },
  ],
  'an attachment to a group elsewhere': [
    [entry(policiesAt, { after: { ...attached, exclusive: false } })],
    { ...ofGroup('policies', 'gid') },
  ],
  'members of which no one knows': [
    [
      entry('vault_identity_group.o', {
        before: outer,
        after: outer,
        actions: ['update'],
        after_unknown: { member_entity_ids: true },
      }),
    ],
    ofGroup('members', 'outer'),
  ],
  'an attachment becomes the only one': [[internal, becomesOnly]],
  'an attachment is the only one of a group with as many': [
    [entry(groupAt, same({ ...other, policies: ['x'] })), becomesOnly],
  ],
  'an attachment was the only one': [
    [
      entry(groupAt, same({ ...other, policies: [] })),
      entry(policiesAt, { before: attached, after: { ...attached, policies: ['y'] } }),
    ],
  ],
  'an attachment goes to another group': [
    [
      entry(groupAt, same({ ...other, external_policies: true })),
      entry('vault_identity_group.o', same({ ...outer, external_policies: true, policies: null })),
      entry(policiesAt, { before: { ...attached, group_id: 'oid' }, after: attached }),
    ],
    ofGroup('policies'),
  ],
  'a group leaves its policies to others no more': [
    [entry(groupAt, { before: { ...other, external_policies: true }, after: other })],
    ofGroup('policies'),
  ],
  'a group leaves its members to others no more': [
    [entry(groupAt, { before: { ...other, external_member_group_ids: true }, after: other })],
    ofGroup('members'),
  ],
  'a role that nothing names': [
    [entry(roleAt, { after: { ...role, role_name: null } })],
    { type: 'role', name: roleAt },
  ],
  'a role that nothing names, and that stays': [[entry(roleAt, same({ ...role, role_name: null }))]],
  'a role that nothing names is deleted': [
    [entry(roleAt, { before: { ...role, role_name: null } })],
    { type: 'role', name: roleAt },
  ],
  'an attachment that nothing names': [
    [entry(policiesAt, { after: { policies: ['x'] } })],
    { type: 'group', name: policiesAt },
  ],
  'another type that nothing names': [
    [entry('vault_github_team.t', { after: {} })],
    { type: 'other', name: 'vault_github_team.t' },
  ],
  'what is written over cannot be read': [
    [entry(roleAt, { before: { ...role, token_ttl: ['x'] }, after: role })],
    of('ttl'),
  ],
  'what is written cannot be read': [
    [entry(roleAt, { before: role, after: { ...role, token_ttl: ['x'] } })],
    of('ttl'),
  ],
  'an alias of an entity elsewhere becomes one of another': [
    [
      ...[m, entry('vault_identity_entity.bob', same(bob))],
      entry('vault_identity_entity_alias.a', { before: alias, after: { ...alias, canonical_id: 'eid' } }),
    ],
    { type: 'entity', name: 'gid', field: 'policies' },
  ],
  'members become the only ones': [
    [
      entry(groupAt, same({ ...other, member_entity_ids: ['x', 'y'] })),
      entry('vault_identity_group_member_entity_ids.m', {
        before: { group_id: 'gid', member_entity_ids: ['x'], exclusive: false },
        after: { group_id: 'gid', member_entity_ids: ['x'] },
      }),
    ],
  ],
  'what cannot be read stays': [
    [
      entry(roleAt, {
        before: { ...role, token_ttl: ['x'] },
        after: { ...role, token_ttl: ['x'], bound_subject: 's' },
      }),
    ],
  ],
  'the name of a role is hidden and changes': [
    [
      entry(roleAt, {
        before: role,
        after: { ...role, role_name: 's' },
        before_sensitive: { role_name: true },
        after_sensitive: { role_name: true },
      }),
    ],
    { type: 'role', method: 'm', name: '(hidden 2)' },
  ],
};
test.each(Object.entries(cases))('what cannot be judged where %s', (_, [changes, ...unknown]) => {
  expect(compose(changes).unknown).toEqual(unknown);
});

test.each<[string, object[], string]>([
  [
    'a policy that a role may have by a hidden name gets more',
    [secretly('token_policies'), policyFrom('', grant)],
    'some',
  ],
  ['… less', [secretly('token_policies'), policyFrom(grant.replace(']', ', "update"]'), grant)], 'none'],
  ['… denies no more', [secretly('token_policies'), policyFrom(denial, '')], 'unknown'],
  [
    'a mount that a role may be on by a hidden name has another issuer',
    [secretly('backend'), entry(methodAt, { before: changed.after, after: method })],
    'some',
  ],
  [
    'a role is on a hidden mount that is here, and another changes',
    [secretly('backend'), entry(methodAt, marked(method, 'path'))],
    'none',
  ],
  [
    'an alias leads to a group that leaves its policies to others',
    [m, entry(groupAt, same({ ...group, external_policies: true })), newAlias],
    'some',
  ],
  [
    'a group leaves its policies to others as before',
    [entry(groupAt, { before: shared, after: { ...shared, metadata: null } })],
    'none',
  ],
])('who gains where %s', (_, changes, gains) => {
  expect(review(readPlan(terraform(changes)), { now }).gains).toBe(gains);
});

describe('what is there after a change', () => {
  const remains = (...changes: object[]) => compose(changes).after;

  test('of a group that is renamed: what refers to it follows', () => {
    const externalPolicies = { ...group, external_policies: true };
    const renamed = { before: externalPolicies, after: { ...externalPolicies, name: 'h' } };
    const kept = [entry(methodAt, own), entry(aliasAt, same(alias)), entry(policiesAt, same(attached))];
    const found = compose([entry(groupAt, renamed), ...kept]);
    expect([found.before.aliases, found.after.aliases]).toMatchObject([[{ group: 'g' }], [{ group: 'h' }]]);
    expect([found.before.identities, found.after.identities]).toMatchObject([
      [{ name: 'g' }],
      [{ name: 'h' }],
    ]);
  });

  test('of a role without a mount: it is on jwt, unless its mount is not known', () => {
    const { backend: _, ...rest } = role;
    const methods = (given: Entry) => remains(entry(roleAt, given)).roles.map(({ method }) => method);
    expect(methods({ after: rest })).toEqual(['jwt']);
    expect(methods({ after: rest, after_unknown: { backend: true } })).toEqual([]);
  });

  test('an entity and a group that are deleted leave the groups that they are in', () => {
    const members = { member_entity_ids: ['eid', 'elsewhere'], member_group_ids: ['gid'] };
    const found = remains(
      entry('vault_identity_entity.bob', { before: bob }),
      entry(groupAt, { before: group }),
      entry('vault_identity_group.o', same({ ...outer, ...members })),
      entry('vault_identity_group.x', same({ ...group, id: 'xid', name: 'x', ...members })),
    );
    const left = [{ kind: 'entity', name: 'elsewhere' }];
    expect(found.identities).toEqual([
      { kind: 'group', name: 'outer', policies: ['o'], members: left },
      { kind: 'group', name: 'x', policies: [], members: left },
    ]);
  });

  test('of a role that cannot be read: as it was', () => {
    const found = compose([entry(roleAt, { before: role, after: { ...role, role_name: null } })]);
    expect([found.before.roles, found.unknown]).toEqual([
      found.after.roles,
      [{ type: 'role', method: 'm', name: 'r' }],
    ]);
  });

  test('of what a plan does not tell: as it was, but for what is made anew', () => {
    const { token_policies: _, ...rest } = role;
    const unknown = { token_policies: true };
    const of = (...actions: string[]) =>
      remains(entry(roleAt, { before: role, after: rest, after_unknown: unknown, actions }));
    expect(of('update').roles[0]?.policies).toEqual(['a']);
    expect(of('delete', 'create').roles[0]?.policies).toBeUndefined();
  });

  test('an entity that is disabled keeps out those who sign in as it', () => {
    const ofBob = { ...alias, canonical_id: 'eid' };
    const found = remains(
      entry(methodAt, own),
      entry('vault_identity_entity.bob', same({ ...bob, disabled: true })),
      entry('vault_identity_entity_alias.a', same(ofBob)),
      entry('vault_identity_entity.eve', same({ ...bob, id: 'x', name: 'eve' })),
      entry('vault_identity_entity_alias.b', same({ ...ofBob, name: 'e', canonical_id: 'x' })),
    );
    expect(found.otherAccess?.map(({ name, effect }) => [name, effect])).toEqual([
      ['disabling of entity "bob"', 'takes'],
      ['alias "/g" of auth/m for entity "bob"', 'either'],
      ['alias "e" of auth/m for entity "eve"', 'gives'],
    ]);
  });
});

test('a mount that is made anew is replaced, wherever it is then; a role is not', () => {
  const replaced = (address: string, before: object, after: object) =>
    compose([entry(address, { before, after, actions: ['delete', 'create'] })]).replaced;
  expect(replaced(methodAt, method, method)).toEqual([{ type: 'method', name: 'm' }]);
  expect(replaced(methodAt, method, { ...method, path: 'n' })).toEqual([{ type: 'method', name: 'n' }]);
  expect(replaced(roleAt, role, role)).toEqual([]);
});

describe('a role with fields that an update does not clear', () => {
  const had = { ...role, claim_mappings: { a: 'b' }, max_age: 60, bound_subject: 's' };
  const updated = (after: object) => compose([entry(roleAt, { before: had, after })]);

  test.each<[string, object]>([
    ['removed', {}],
    ['emptied', { claim_mappings: {}, max_age: 0, bound_subject: '' }],
  ])('keeps those that are %s in place, and the change names them', (_, fields) => {
    const { after, left } = updated({ ...role, ...fields });
    expect(left).toEqual([of('claimMappings'), of('maxAge')]);
    expect(after.roles).toMatchObject([{ claimMappings: { a: 'b' }, maxAge: 60 }]);
    expect(after.roles[0]?.boundSubject).toBeUndefined();
  });

  test('has none of them once it is made again, and the change names it', () => {
    const found = compose([entry(roleAt, { before: had, after: role, actions: ['delete', 'create'] })]);
    expect(found).toMatchObject({ remade: [{ type: 'role', method: 'm', name: 'r' }] });
    expect(found.left).toBeUndefined();
    expect(found.after.roles[0]?.claimMappings).toBeUndefined();
  });

  test('takes new values', () => {
    const found = updated({ ...had, claim_mappings: { a: 'c' } });
    expect(found.left).toBeUndefined();
    expect(found.after.roles).toMatchObject([{ claimMappings: { a: 'c' } }]);
  });

  test('that is written whole is emptied', () => {
    const write = (fields: object) => ({ path: 'auth/m/role/r', data_json: JSON.stringify(fields) });
    const [before, after] = [{ maxAge: 60 }, {}].map((fields) =>
      write(roleBody({ roleType: 'jwt', userClaim: 'sub', ...fields })),
    );
    const found = compose([entry('vault_generic_endpoint.r', { before, after })]);
    expect(found.left).toBeUndefined();
    expect(found.after.roles[0]?.maxAge).toBeUndefined();
  });
});

test('a finding has the address of the one resource that it is about', () => {
  const [found] = composeChanges(
    readPlan(
      terraform([
        entry(roleAt, { after: role }),
        ...['a', 'b'].map((name) => entry(`vault_policy.${name}`, { after: { name: 'p', policy: '' } })),
      ]),
    ),
  );
  const addresses = (['role', 'policy', 'method'] as const).map(
    (type) =>
      found &&
      originOf(found.origins, {
        type,
        name: type === 'role' ? 'r' : 'p',
        ...(type === 'role' && { method: 'm' }),
      }),
  );
  expect(addresses).toEqual([roleAt, undefined, undefined]);
});

test('what hangs on an entity that is renamed stays on it', () => {
  const { after, unknown } = compose([
    entry(methodAt, own),
    entry('vault_identity_entity.bob', {
      before: { ...bob, external_policies: true },
      after: { ...bob, name: 'robert', external_policies: true },
    }),
    entry('vault_identity_entity_alias.a', same({ ...alias, canonical_id: 'eid' })),
    entry('vault_identity_entity_policies.p', same({ entity_id: 'eid', policies: ['x'] })),
  ]);
  expect(after.otherAccess).toMatchObject([
    { name: 'alias "/g" of auth/m for entity "robert"', entity: 'robert' },
  ]);
  expect(after.identities).toMatchObject([
    { name: 'robert', policies: ['b'] },
    { name: 'robert', policies: ['x'] },
  ]);
  expect(unknown).toEqual([]);
});

test('an id that a plan gives to two groups leads to neither', () => {
  const { after, unknown } = compose([
    ...[m, g, entry('vault_identity_group.h', same({ ...group, name: 'h' }))],
    newAlias,
  ]);
  expect(after.aliases).toMatchObject([{ group: 'gid' }]);
  expect(unknown).toEqual([ofGroup('policies', 'gid')]);
});
