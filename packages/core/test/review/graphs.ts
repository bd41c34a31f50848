import type { Change } from '../../src/graph/change.ts';
import { emptyGraph, type Graph } from '../../src/graph/graph.ts';
import type { AuthMethod } from '../../src/graph/resources/auth-method.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import type { Comparison } from '../../src/review/review.ts';

export const now = 1_800_000_000_000_000_000n;

export function graphOf(parts: Partial<Graph>): Graph {
  return { ...emptyGraph(), ...parts };
}

/** A graph of which all is known: nothing else is on the service. */
export function whole(graph: Graph): Graph {
  const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'others', 'guards'] as const;
  const roles = graph.methods.map(({ path }) => ({ list: 'roles' as const, method: path }));
  return { ...graph, complete: [...lists.map((list) => ({ list })), ...roles] };
}

export function method(path: string, config: AuthMethod['config'] = {}): AuthMethod {
  return { path, type: 'jwt', config };
}

export function role(name: string, fields: Partial<Role> = {}): Role {
  return {
    method: 'ci',
    name,
    roleType: 'jwt',
    userClaim: 'sub',
    boundAudiences: ['secrets'],
    policies: ['read'],
    tokenNoDefaultPolicy: true,
    ...fields,
  };
}

/** A role that asks for nothing. */
export function bareRole(fields: Partial<Role> = {}): Role {
  return { method: 'm', name: 'r', roleType: 'jwt', userClaim: 'sub', ...fields };
}

export function policy(name: string, ...rules: [path: string, ...capabilities: string[]][]) {
  const text = rules.map(
    ([path, ...capabilities]) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`,
  );
  return { name, text: text.join('\n') };
}

/** Two graphs, to review. */
export function comparison(one: Change): Comparison {
  return { changes: [{ place: {}, change: one }], notes: [] };
}

export function change(before: Partial<Graph>, after: Partial<Graph>, rest: Partial<Change> = {}): Change {
  return { before: graphOf(before), after: graphOf(after), replaced: [], rotated: [], unknown: [], ...rest };
}
