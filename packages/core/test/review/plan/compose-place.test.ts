import { describe, expect, test } from '@jest/globals';
import { effectOf, wordsOf } from '../../../src/graph/nodes/other-node.ts';
import { roleBody } from '../../../src/graph/resources/role-body.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { originOf } from '../../../src/review/plan/compose-place.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { compose, terraform, unknownIn } from './terraform.ts';

const m = 'method m';
const mg = 'method m\n group g p';
const outer = 'internal outer o';
const becomesOnly = '~ attach g x exclusive: false → exclusive: null';
const ofGroup = 'group id-g policies';
const roleAt = 'vault_jwt_auth_backend_role.r';

const cases: Record<string, [plan: string, ...unknown: string[]]> = {
  'nothing changes': [`${mg}\n alias /g m g`],
  'an alias leads to a group that is here': [`${mg}\n + alias /g m g`],
  'an alias leads to a group elsewhere': [`${m}\n + alias /g m g`, ofGroup],
  'an alias leads to a group elsewhere that gets policies here': [
    `${m}\n + alias /g m g\n attach g x`,
    ofGroup,
  ],
  'an alias leads no more to a group elsewhere': [`${m}\n - alias /g m g`, ofGroup],
  'an alias is on a mount elsewhere': ['group g p\n + alias /g m g', 'alias acc-m//g method'],
  'an alias of an entity elsewhere': [`${m}\n + entity-alias g m g`, 'entity id-g policies'],
  'an attachment to a group elsewhere': ['+ attach g x exclusive: false', ofGroup],
  'members of which no one knows': [`~ ${outer} → member_entity_ids?`, 'group outer members'],
  'an attachment becomes the only one': [`internal g p\n ${becomesOnly}`],
  'an attachment is the only one of a group with as many': [`internal g x\n ${becomesOnly}`],
  'an attachment was the only one': ['internal g -\n ~ attach g x → y'],
  'an attachment goes to another group': [
    `internal g p external_policies: true
     ${outer} external_policies: true, policies: null
     ~ attach outer x → group_id: id-g`,
    'group g policies',
  ],
  'a group leaves its policies to others no more': [
    '~ internal g p external_policies: true → external_policies: null',
    'group g policies',
  ],
  'a group leaves its members to others no more': [
    '~ internal g p external_member_group_ids: true → external_member_group_ids: null',
    'group g members',
  ],
  'a role that nothing names': ['+ role m/r a role_name: null', `role ${roleAt}`],
  'a role that nothing names, and that stays': ['role m/r a role_name: null'],
  'a role that nothing names is deleted': ['- role m/r a role_name: null', `role ${roleAt}`],
  'an attachment that nothing names': [
    '+ attach g x group_id: null',
    'group vault_identity_group_policies.g',
  ],
  'another type that nothing names': ['+ github_team.t', 'other vault_github_team.t'],
  'what is written over cannot be read': ['~ role m/r a token_ttl: [x] → token_ttl: null', 'role m/r ttl'],
  'what is written cannot be read': ['~ role m/r a → token_ttl: [x]', 'role m/r ttl'],
  'an alias of an entity elsewhere becomes one of another': [
    `${m}\n entity bob b\n ~ entity-alias b m g → m bob`,
    'entity id-g policies',
  ],
  'members become the only ones': [
    'internal g p entity:x entity:y\n ~ join g entity:x exclusive: false → exclusive: null',
  ],
  'what cannot be read stays': ['~ role m/r a token_ttl: [x] → bound_subject: s'],
  'the name of a role is hidden and changes': [
    '~ role m/r a role_name!: r → role_name!: s',
    'role m/(hidden 2)',
  ],
};
test.each(Object.entries(cases))('what cannot be judged where %s', (_, [plan, ...unknown]) => {
  expect(unknownIn(compose(plan))).toEqual(unknown);
});

const secretly = 'role m/r a token_policies!: [a]';
test.each([
  ['a policy that a role may have by a hidden name gets more', `${secretly}\n ~ policy p → a read`, 'some'],
  ['… less', `${secretly}\n ~ policy p: a read,update → a read`, 'none'],
  ['… denies no more', `${secretly}\n ~ policy p: a deny → -`, 'unknown'],
  [
    'a mount that a role may be on by a hidden name has another issuer',
    'role m/r a backend!: m\n ~ method m bound_issuer: x → bound_issuer: null',
    'some',
  ],
  [
    'a role is on a hidden mount that is here, and another changes',
    'role m/r a backend!: m\n method m path!: m',
    'none',
  ],
  [
    'an alias leads to a group that leaves its policies to others',
    `${m}\n group g p external_policies: true\n + alias /g m g`,
    'some',
  ],
  [
    'a group leaves its policies to others as before',
    '~ internal g - external_policies: true → metadata: null',
    'none',
  ],
])('who gains where %s', (_, plan, gains) => {
  expect(review(readPlan(terraform(entries(plan))), { now }).gains).toBe(gains);
});

describe('what is there after a change', () => {
  test('of a group that is renamed: what refers to it follows', () => {
    const renamed = '~ group g p external_policies: true → name: h';
    const found = compose(`${renamed}\n method m\n alias /g m g\n attach g x`);
    expect([found.before.aliases, found.after.aliases]).toMatchObject([[{ group: 'g' }], [{ group: 'h' }]]);
    expect([found.before.identities, found.after.identities]).toMatchObject([
      [{ name: 'g' }],
      [{ name: 'h' }],
    ]);
  });

  test.each([
    ['it is on jwt', 'backend: null', ['jwt']],
    ['unless its mount is not known', 'backend?', []],
  ])('of a role without a mount: %s', (_, backend, methods) => {
    expect(compose(`+ role m/r a ${backend}`).after.roles.map(({ method }) => method)).toEqual(methods);
  });

  test('an entity and a group that are deleted leave the groups that they are in', () => {
    const { identities } = compose(`
      - entity bob b
      - group g p
      internal outer o entity:bob entity:elsewhere group:g
      group x p entity:bob entity:elsewhere group:g`).after;
    const members = [{ kind: 'entity', name: 'id-elsewhere' }];
    expect(identities).toEqual([
      { kind: 'group', name: 'outer', policies: ['o'], members },
      { kind: 'group', name: 'x', policies: [], members },
    ]);
  });

  test('of a role that cannot be read: as it was', () => {
    const found = compose('~ role m/r a → role_name: null');
    expect(found.before.roles).toEqual(found.after.roles);
    expect(unknownIn(found)).toEqual(['role m/r']);
  });

  test.each([
    ['as it was', '~', ['a']],
    ['not known, as it is made anew', '-/+', undefined],
  ])('of what a plan does not tell: %s', (_, sign, policies) => {
    expect(compose(`${sign} role m/r a → token_policies?`).after.roles[0]?.policies).toEqual(policies);
  });

  test('an entity that is disabled keeps out those who sign in as it', () => {
    const { others } = compose(`
      method m
      entity bob b disabled: true
      entity-alias /g m bob
      entity eve b
      entity-alias e m eve`).after;
    expect(others?.map((node) => [wordsOf(node), effectOf(node)])).toEqual([
      ['disabling of entity bob', 'takes'],
      ['alias /g of m for entity bob', 'either'],
      ['alias e of m for entity eve', 'gives'],
    ]);
  });
});

test.each([
  ['-/+ method m', [{ type: 'method', name: 'm' }]],
  ['-/+ method m → path: n', [{ type: 'method', name: 'n' }]],
  ['-/+ role m/r a', []],
])('a mount that is made anew is replaced, wherever it is then; a role is not: %s', (plan, replaced) => {
  expect(compose(plan).replaced).toEqual(replaced);
});

describe('a role with fields that an update does not clear', () => {
  const had = 'role m/r a claim_mappings: {a: b}, max_age: 60, bound_subject: s';

  test.each([
    ['removed', 'claim_mappings: null, max_age: null, bound_subject: null'],
    ['emptied', "claim_mappings: {}, max_age: 0, bound_subject: ''"],
  ])('keeps those that are %s in place, and the change names them', (_, fields) => {
    const { after, left = [] } = compose(`~ ${had} → ${fields}`);
    expect(unknownIn({ unknown: left })).toEqual(['role m/r claimMappings', 'role m/r maxAge']);
    expect(after.roles).toMatchObject([{ claimMappings: { a: 'b' }, maxAge: 60 }]);
    expect(after.roles[0]?.boundSubject).toBeUndefined();
  });

  test('has none of them once it is made again, and the change names it', () => {
    const found = compose(`-/+ ${had} → claim_mappings: null, max_age: null, bound_subject: null`);
    expect(found).toMatchObject({ remade: [{ type: 'role', method: 'm', name: 'r' }] });
    expect(found.left).toBeUndefined();
    expect(found.after.roles[0]?.claimMappings).toBeUndefined();
  });

  test('takes new values', () => {
    const found = compose(`~ ${had} → claim_mappings: {a: c}`);
    expect(found.left).toBeUndefined();
    expect(found.after.roles).toMatchObject([{ claimMappings: { a: 'c' } }]);
  });

  test('that is written whole is emptied', () => {
    const [before, after] = [{ maxAge: 60 }, {}].map((fields) =>
      JSON.stringify(roleBody({ roleType: 'jwt', userClaim: 'sub', ...fields })),
    );
    const found = compose(
      `~ generic_endpoint.r path: auth/m/role/r, data_json: '${before}' → data_json: '${after}'`,
    );
    expect(found.left).toBeUndefined();
    expect(found.after.roles[0]?.maxAge).toBeUndefined();
  });
});

test.each([
  [{ type: 'role', name: 'r', method: 'm' } as const, roleAt],
  [{ type: 'policy', name: 'p' } as const, undefined],
  [{ type: 'method', name: 'p' } as const, undefined],
])('a finding about %j has the address of the one resource that it is about: %s', (subject, address) => {
  const plan = entries('+ role m/r a\n + policy@a p\n + policy@b p');
  const [found] = composeChanges(readPlan(terraform(plan)));
  expect(found && originOf(found.origins, subject)).toBe(address);
});

test('what hangs on an entity that is renamed stays on it', () => {
  const { after, unknown } = compose(`
    method m
    ~ entity bob b external_policies: true → name: robert
    entity-alias /g m bob
    identity_entity_policies.p entity_id: id-bob, policies: [x]`);
  expect(after.others?.map(wordsOf)).toEqual(['alias /g of m for entity robert']);
  expect(after.identities).toMatchObject(
    ['b', 'x'].map((policy) => ({ name: 'robert', policies: [policy] })),
  );
  expect(unknown).toEqual([]);
});

test('an id that a plan gives to two groups leads to neither', () => {
  const found = compose(`${mg}\n group h p id: id-g\n + alias /g m g`);
  expect(found.after.aliases).toMatchObject([{ group: 'id-g' }]);
  expect(unknownIn(found)).toEqual([ofGroup]);
});
