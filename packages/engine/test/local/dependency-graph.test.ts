import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DependencyGraph } from '../../src/local/dependency-graph.ts';
import { newRow } from '../../src/local/resource-row.ts';
import type { ResourceState } from '../../src/resource-state.ts';
import { goal } from './registrations.ts';

function row(name: string, dependencies: string[] = [], fields: Partial<ResourceState> = {}): ResourceState {
  return newRow(name, goal(name), { id: name, dependencies, ...fields });
}

function names(rows: readonly ResourceState[]): string[] {
  return rows.map(({ urn, delete: doomed }) => (doomed ? `old ${urn}` : urn));
}

describe('the dependency graph (pkg/resource/graph/dependency_graph.go)', () => {
  test('puts what is depended on first and keeps the order otherwise', () => {
    expect(names(new DependencyGraph([row('a', ['c']), row('b'), row('c')]).ordered)).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  test.each<[string, Partial<ResourceState>]>([
    ['parent', { parent: 'a' }],
    ['property dependency', { propertyDependencies: { text: ['a'] } }],
    ['plugin resource', { provider: 'a::id' }],
  ])('a %s counts as a dependency in order', (_, fields) => {
    expect(names(new DependencyGraph([row('b', [], fields), row('a')]).ordered)).toEqual(['a', 'b']);
  });

  test('dependents are found through others, children only when asked for', () => {
    const a = row('a');
    const graph = new DependencyGraph([
      a,
      row('b', ['a']),
      row('c', ['b']),
      row('d', [], { parent: 'a' }),
      row('e'),
    ]);
    expect(names(graph.dependents(a, { includeChildren: false }))).toEqual(['b', 'c']);
    expect(names(graph.dependents(a, { includeChildren: true }))).toEqual(['b', 'c', 'd']);
  });

  test('what is to be ignored hides what depends on it alone', () => {
    const a = row('a');
    const graph = new DependencyGraph([a, row('b', ['a']), row('c', ['b']), row('d', ['a'])]);
    expect(
      names(graph.dependents(a, { includeChildren: false, ignore: (known) => ['b'].includes(known) })),
    ).toEqual(['d']);
  });

  test('copies to be deleted hang on copies to be deleted', () => {
    const oldA = row('a', [], { delete: true });
    const graph = new DependencyGraph([row('a'), row('b', ['a']), oldA, row('b', ['a'], { delete: true })]);
    expect(names(graph.dependents(oldA, { includeChildren: false }))).toEqual(['old b']);
  });

  test('a circle does not make it hang', () => {
    expect(new DependencyGraph([row('a', ['b']), row('b', ['a'])]).ordered).toHaveLength(2);
  });

  test('a chain of any length is sorted', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => row(`r${index}`, [`r${index + 1}`]));
    expect(new DependencyGraph(rows).ordered[0]?.urn).toBe('r19999');
  });

  test('whatever the graph, nothing stands before what it depends on', () => {
    const graphs = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (edges, noise) => {
        // Only to earlier ones, so that there is no circle; then shuffled.
        const rows = edges.map((targets, index) =>
          row(
            `r${index}`,
            targets.filter((target) => target < index).map((target) => `r${target}`),
          ),
        );
        const shuffled = rows
          .map((each) => ({ each, at: noise.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at);
        const order = names(new DependencyGraph(shuffled.map(({ each }) => each)).ordered);
        for (const { urn, dependencies } of rows) {
          for (const dependency of dependencies)
            expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(urn));
        }
      }),
    );
  });
});
