import { expect, test } from '@jest/globals';
import { type Complete, emptyGraph, type Graph, isComplete, isWhole } from '../../src/graph/graph.ts';
import { otherMethod } from '../../src/graph/nodes/other-method.ts';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import { method, role } from '../review/graphs.ts';

const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'others'] as const;
const everything: Complete[] = [...lists.map((list) => ({ list })), { list: 'roles', method: 'ci' }];
const tokenRole = (fields: Record<string, unknown>) =>
  otherRole({ type: 'token', method: 'token', noun: 'role', name: 'r' }, fields);
const graphWith = (complete: Complete[]): Graph => ({ ...emptyGraph(), methods: [method('ci')], complete });

test('a graph by itself knows nothing completely', () => {
  expect(lists.filter((list) => isComplete(emptyGraph(), list))).toEqual([]);
});

test('all roles of one auth method are not those of another one', () => {
  const graph = graphWith([{ list: 'roles', method: 'ci' }]);
  expect([isComplete(graph, 'roles', 'ci'), isComplete(graph, 'roles', 'staff')]).toEqual([true, false]);
});

test('a graph is whole if it knows every list, and the roles of every auth method', () => {
  expect(isWhole(graphWith(everything))).toBe(true);
});

test.each<[string, Partial<Graph>]>([
  ['a program', { others: [{ kind: 'program', method: 'ci', name: 'r' }] }],
  ['a token role with a glob', { others: [tokenRole({ allowed_policies_glob: ['team-*'] })] }],
  ['a token role that only refuses names', { others: [tokenRole({ disallowed_policies: ['a'] })] }],
  ['configuration that was not read', { others: [{ ...otherMethod('ldap', 'ldap', {}), isOpaque: true }] }],
  ['a name of a policy that claims fill in', { roles: [role('r', { policies: ['team-{{team}}'] })] }],
])('a graph is not whole with %s', (_, parts) => {
  expect(isWhole({ ...graphWith(everything), ...parts })).toBe(false);
});

test.each<[string, Partial<Graph>]>([
  ['a token role with names', { others: [tokenRole({ allowed_policies: ['a'] })] }],
  [
    'what takes access and is not looked into',
    { others: [{ kind: 'guard', type: 'egp policy', name: 'e', bounds: {} }] },
  ],
])('a graph is whole with %s', (_, parts) => {
  expect(isWhole({ ...graphWith(everything), ...parts })).toBe(true);
});

test.each(everything)('a graph is not whole without all $list', (missing) => {
  expect(isWhole(graphWith(everything.filter((one) => one !== missing)))).toBe(false);
});
