import { describe, expect, test } from '@jest/globals';
import { GraphIndex } from '../../src/access/graph-index.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { Promises } from '../../src/access/questions/promise.ts';
import { reachOf } from '../../src/access/questions/reach.ts';
import { Reach } from '../../src/access/questions/who-can.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import { change } from '../review/graphs.ts';
import { graph } from '../worlds.ts';

const admin = (bound: Partial<Role>, others = '', policies = ['writes']) => {
  const given = graph(`
    method ci jwksUrl: https://ci.example/keys
    role admin - groupsClaim: groups
    group platform denies
    group owners -
    alias /platform ci platform
    alias /owners ci owners
    policy writes: a/* update
    policy denies: a/b deny
    policy precise: a/b update
    complete
    ${others}`);
  return { ...given, roles: given.roles.map((one, at) => (at === 0 ? { ...one, policies, ...bound } : one)) };
};
const question = { capability: 'update', path: 'a/b' };
const promise = { always: ['role admin'], can: ['update' as const], on: 'a/b', because: 'so' };
const whoCan = (bound: Partial<Role>, others = '') =>
  new Reach({ ...admin(bound, others), complete: [] }, 0n).whoCan(question).answer;
const kept = (bound: Partial<Role>) =>
  new Promises({ ...admin(bound), complete: [] }, 0n).decide(promise).answer;

describe('a bound on the claim of the groups puts every token into its group', () => {
  test.each<[string, Partial<Role>, 'yes' | 'no']>([
    ['no bound', {}, 'yes'],
    ['a bound on another claim', { boundClaims: { org: ['/platform'] } }, 'yes'],
    ['one group', { boundClaims: { groups: ['/platform'] } }, 'no'],
    ['one group, by a pointer', { boundClaims: { '/groups': '/platform' } }, 'no'],
    [
      'one group, as a pattern without a star',
      { boundClaims: { groups: ['/platform'] }, boundClaimsType: 'glob' },
      'no',
    ],
    ['a pattern', { boundClaims: { groups: ['/platform*'] }, boundClaimsType: 'glob' }, 'yes'],
    ['one of two groups', { boundClaims: { groups: ['/platform', '/owners'] } }, 'yes'],
    ['a group without an alias', { boundClaims: { groups: ['/guests'] } }, 'yes'],
    ['no claim for groups', { groupsClaim: '', boundClaims: { groups: ['/platform'] } }, 'yes'],
  ])('%s', (_, bound, can) => {
    expect(whoCan(bound)).toBe(can);
    expect(kept(bound)).toBe(can === 'yes' ? 'kept' : 'broken');
  });

  test('what the role reaches is reached with that group', () => {
    const given = admin({ boundClaims: { groups: ['/platform'] } });
    const [one] = given.roles;
    const { groups, rows } = reachOf(given, one as Role, [], 0n);
    expect(groups).toEqual(['platform']);
    expect(rows.map(({ pattern, capabilities }) => [pattern, ...capabilities])).toContainEqual([
      'a/b',
      'deny',
    ]);
  });

  test('of several, none is in every token', () => {
    const given = admin({ boundClaims: { groups: ['/platform', '/owners'] } });
    const [one] = given.roles;
    expect(new GraphIndex(given).requiredBy(one as Role).map(({ name }) => name)).toEqual([
      '/platform',
      '/owners',
    ]);
    expect(reachOf(given, one as Role, [], 0n).groups).toEqual([]);
  });
});

describe('a change is decided with the groups that every token is in', () => {
  const gainedAt = (bound: Partial<Role>) => {
    const [had, has] = [[], ['precise']].map((policies) => admin(bound, '', policies));
    return decideAccess(change(had ?? {}, has ?? {}), 0n).changes.flatMap(({ paths }) =>
      paths.flatMap(({ gained, path }) => (gained.length > 0 ? path : [])),
    );
  };
  test.each<[string, Partial<Role>, boolean]>([
    ['no bound', {}, true],
    ['one group, which denies it', { boundClaims: { groups: ['/platform'] } }, false],
    ['one of two groups, the first denies it', { boundClaims: { groups: ['/platform', '/owners'] } }, true],
    ['a group without an alias', { boundClaims: { groups: ['/guests'] } }, true],
  ])('%s', (_, bound, can) => {
    expect(gainedAt(bound)).toEqual(can ? ['a/b'] : []);
  });
});

describe('a token leaves the group by another sign-in of the same person', () => {
  const bound = { boundClaims: { groups: ['/platform'] } };
  test.each([
    ['a role that reads no groups', 'role other -', 'yes'],
    ['a role that reads another claim', 'role other - groupsClaim: teams', 'yes'],
    ['a role that reads the same claim', 'role other - groupsClaim: groups', 'yes'],
    [
      'a role that requires another group',
      'role other - groupsClaim: groups, boundClaims: {groups: [/owners]}',
      'yes',
    ],
    [
      'a role that requires the same group',
      'role other - groupsClaim: groups, boundClaims: {groups: [/platform]}',
      'no',
    ],
    ['a role of another method', 'role staff/other -', 'no'],
  ])('%s', (_, other, can) => {
    expect(whoCan(bound, other)).toBe(can);
  });
});
