import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../src/graph/graph.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import { matchedGroups, policiesGiven } from '../../src/login/policies-given.ts';

const role: Role = { method: 'jwt', name: 'web', roleType: 'jwt', userClaim: 'sub' };
const graph: Graph = {
  methods: [],
  roles: [role],
  groups: [
    { name: 'Admins', policies: ['admin'] },
    { name: 'ops', policies: ['Operate', 'admin'] },
  ],
  aliases: [
    { name: '/Admins', method: 'jwt', group: 'admins' },
    { name: 'ops', method: 'jwt', group: 'ops' },
    { name: 'ops', method: 'other', group: 'admins' },
  ],
  policies: [],
  messages: [],
  identities: [
    { kind: 'group', name: 'all', policies: ['everyone'], members: [{ kind: 'group', name: 'OPS' }] },
    { kind: 'group', name: 'known', policies: ['known'], members: [{ kind: 'entity', name: 'id-1' }] },
    { kind: 'group', name: 'around', policies: ['around'], members: [{ kind: 'group', name: 'known' }] },
  ] as Graph['identities'],
};
const given = (groups: string[], policies: string[], fields: Partial<Role> = {}, entity?: boolean) =>
  policiesGiven(
    graph,
    { ...role, ...fields },
    { name: 'ann', metadata: {}, groups, policies },
    entity ? { id: 'id-1', name: 'ann', policies: ['Own'], isDisabled: false } : undefined,
  );
const everyToken = { name: 'default', sources: ['every token'] };

// docs/inside/measured/identity.md#where-policies-come-from: role, groups and those around them, entity, `default`; all
// united, names in lower case.
describe('a sign-in gives', () => {
  test('the policies of the role, and default, in the order of their names', () => {
    expect(given([], ['zone', 'a'])).toEqual([
      { name: 'a', sources: ['role jwt/web'] },
      everyToken,
      { name: 'zone', sources: ['role jwt/web'] },
    ]);
  });

  test('no default where the role says so', () => {
    expect(given([], ['a'], { tokenNoDefaultPolicy: true })).toEqual([
      { name: 'a', sources: ['role jwt/web'] },
    ]);
  });

  test('those of groups, by their aliases, and of the groups around them', () => {
    expect(given(['/admins', 'Ops'], [], { tokenNoDefaultPolicy: true })).toEqual([
      {
        name: 'admin',
        sources: ['group admins, by its alias jwt//Admins', 'group ops, by its alias jwt/ops'],
      },
      { name: 'everyone', sources: ['group all, which has group OPS in it'] },
      { name: 'operate', sources: ['group ops, by its alias jwt/ops'] },
    ]);
  });

  test('those of the entity, and of the groups around it', () => {
    expect(given([], [], { tokenNoDefaultPolicy: true }, true)).toEqual([
      { name: 'around', sources: ['group around, which has group known in it'] },
      { name: 'known', sources: ['group known, which has the entity in it'] },
      { name: 'own', sources: ['entity ann'] },
    ]);
  });

  test('a template that is not worked out, said as such where claims are filled in', () => {
    const sources = (name: string, fields: Partial<Role> = {}) =>
      given([], [name], { tokenNoDefaultPolicy: true, ...fields })[0]?.sources;
    const filled = { tokenPoliciesTemplateClaims: true };
    expect(sources('{{if .a}}', filled)).toEqual(['role jwt/web, by a template that is not worked out here']);
    expect(sources('{{if .a}}')).toEqual(['role jwt/web']);
    expect(sources('of-a', filled)).toEqual(['role jwt/web']);
  });
});

test('groups of a token are found by aliases of the same method', () => {
  expect(matchedGroups(graph, 'other', ['ops', '/admins'])).toEqual([{ group: 'admins', alias: 'ops' }]);
  expect(matchedGroups(graph, 'jwt', ['none'])).toEqual([]);
});
