import { expect } from '@jest/globals';
import { declare } from '../../../core/src/environment/declared.ts';
import { type Environment, parseEnvironment } from '../../../core/src/environment/environment.ts';
import type { Graph } from '../../../core/src/graph/graph.ts';
import { graphDifferences } from '../../../core/src/graph/graph-difference.ts';
import { environmentOf } from '../../src/adopt/environment-of.ts';

export const service: Environment['service'] = {
  address: 'https://secrets.example.com:8200',
  dialect: 'vault',
  features: { messages: true },
};

/** What the environment that a graph comes to declares again. */
export const redeclared = (graph: Graph) => {
  const { left: _left, policies, ...environment } = environmentOf(graph, service);
  return declare(
    parseEnvironment({
      ...environment,
      policies: policies.map(({ name, text }) => ({ name, policy: text })),
    }),
  );
};

/** Expects that a graph is adopted whole, and that what is written declares the same. Answers with its first provider. */
export function adoptedWhole(graph: Graph) {
  const { left, providers } = environmentOf(graph, service);
  expect(left).toEqual([]);
  expect(graphDifferences(redeclared(graph), graph)).toEqual([]);
  return providers[0];
}
