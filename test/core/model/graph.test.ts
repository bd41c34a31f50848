import { expect, test } from '@jest/globals';
import { type Complete, emptyGraph, type Graph, isComplete, isWhole } from '../../../core/model/graph.ts';
import { method } from '../review/graphs.ts';

const lists = ['methods', 'groups', 'aliases', 'policies', 'holders', 'others'] as const;
const everything: Complete[] = [...lists.map((list) => ({ list })), { list: 'roles', method: 'ci' }];
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

test.each(everything)('a graph is not whole without all $list', (missing) => {
  expect(isWhole(graphWith(everything.filter((one) => one !== missing)))).toBe(false);
});
