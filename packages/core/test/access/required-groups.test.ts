import { describe, expect, test } from '@jest/globals';
import { GraphIndex } from '../../src/access/graph-index.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { Promises } from '../../src/access/questions/promise.ts';
import { reachOf } from '../../src/access/questions/reach.ts';
import { Reach } from '../../src/access/questions/who-can.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import { change, graphOf, method, policy, role } from '../review/graphs.ts';

const admin = (bound: Partial<Role>, otherRoles: Role[] = []) =>
  graphOf({
    methods: [method('ci', { jwksUrl: 'https://ci.example/keys' })],
    roles: [role('admin', { policies: ['writes'], groupsClaim: 'groups', ...bound }), ...otherRoles],
    groups: [
      { name: 'platform', policies: ['denies'] },
      { name: 'owners', policies: [] },
    ],
    aliases: [
      { name: '/platform', method: 'ci', group: 'platform' },
      { name: '/owners', method: 'ci', group: 'owners' },
    ],
    policies: [
      policy('writes', ['a/*', 'update']),
      policy('denies', ['a/b', 'deny']),
      policy('precise', ['a/b', 'update']),
    ],
  });
const bound = { boundClaims: { groups: ['/platform'] } };
const kept = (bound: Partial<Role>) =>
  new Promises(admin(bound), 0n).decide({ always: ['role admin'], can: ['update'], on: 'a/b', because: 'so' })
    .answer;
const whoCan = (bound: Partial<Role>) =>
  new Reach(admin(bound), 0n).whoCan({ capability: 'update', path: 'a/b' }).answer;

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
    const graph = admin({ boundClaims: { groups: ['/platform'] } });
    const [one] = graph.roles;
    const { groups, rows } = reachOf(graph, one as Role, [], 0n);
    expect(groups).toEqual(['platform']);
    expect(rows.map(({ pattern, capabilities }) => [pattern, ...capabilities])).toContainEqual([
      'a/b',
      'deny',
    ]);
  });

  test('of several, none is in every token', () => {
    const graph = admin({ boundClaims: { groups: ['/platform', '/owners'] } });
    const [one] = graph.roles;
    expect(new GraphIndex(graph).requiredBy(one as Role).map(({ name }) => name)).toEqual([
      '/platform',
      '/owners',
    ]);
    expect(reachOf(graph, one as Role, [], 0n).groups).toEqual([]);
  });
});

describe('a change is decided with the groups that every token is in', () => {
  const complete = [
    ...(['methods', 'groups', 'aliases', 'policies', 'identities', 'otherAccess'] as const).map((list) => ({
      list,
    })),
    { list: 'roles' as const, method: 'ci' },
  ];
  const gainedAt = (bound: Partial<Role>) => {
    const had = { ...admin({ ...bound, policies: [] }), complete };
    const has = { ...admin({ ...bound, policies: ['precise'] }), complete };
    return decideAccess(change(had, has), 0n).changes.flatMap(({ paths }) =>
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
  const whoCanWith = (other: Partial<Role>) =>
    new Reach(admin(bound, [role('other', { policies: [], ...other })]), 0n).whoCan({
      capability: 'update',
      path: 'a/b',
    }).answer;
  test.each<[string, Partial<Role>, 'yes' | 'no']>([
    ['a role that reads no groups', {}, 'yes'],
    ['a role that reads another claim', { groupsClaim: 'teams' }, 'yes'],
    ['a role that reads the same claim', { groupsClaim: 'groups' }, 'no'],
    ['a role of another method', { method: 'staff' }, 'no'],
  ])('%s', (_, other, can) => {
    expect(whoCanWith(other)).toBe(can);
  });
});
