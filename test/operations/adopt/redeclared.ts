import { declare } from '../../../core/model/declared.ts';
import { type Environment, parseEnvironment } from '../../../core/model/environment.ts';
import type { Graph } from '../../../core/model/graph.ts';
import { environmentOf } from '../../../operations/adopt/environment-of.ts';

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
