import type { CredentialSource } from './nodes/credential-source.ts';
import type { EntityAlias } from './nodes/other-alias.ts';
import { effectOf, isOpaque, type OtherNode } from './nodes/other-node.ts';
import type { SudoPaths } from './policies/sudo-paths.ts';
import type { Referred } from './resources/resource.ts';
import type { Lists } from './resources/resources.ts';
import { policyKey } from './values/name-key.ts';

export type { OtherNode, ResourceKey } from './nodes/other-node.ts';
export type { Identity } from './resources/entity.ts';

/**
 * The login graph of a secrets service as plain data: its nodes by resource, which refer to each other by name. An
 * environment worked out to it is the declared graph (`declared.ts`); read from a service it is the live graph
 * (`live/live-graph.ts`); a plan has two, before and after (`change.ts`).
 */
export interface Graph extends Lists {
  /** Whatever else decides who signs in, or with what: roles of other auth methods, writes to any path. Never declared. */
  others?: OtherNode[];
  /** What hands out credentials that others sign in with. Never declared. */
  credentials?: CredentialSource[];
  /**
   * What it knows completely: of that, nothing else exists. Defaults to nothing: a stack or a plan shows a part of a
   * service. A live graph has what its token may list.
   */
  complete?: readonly Complete[];
}

/** All that a list of a graph can have: on the service, or at one auth method. */
export interface Complete {
  /**
   * In `others` as well: `tokens` that were issued (batch tokens are in no list), and `guards` of sign-ins. `credentials`: no other
   * source is on the service, but for what is kept in places. `namespaces`: the service has none but the root's.
   */
  list: GraphList | 'tokens' | 'guards' | 'namespaces';
  /** Path of the auth method, for what belongs to one. */
  method?: string;
}

/** The lists of a graph, by what they hold. */
export type GraphList = Exclude<keyof Graph, 'complete'>;

/** Whether nothing of a list exists that the graph does not have. */
export function isComplete({ complete = [] }: Graph, list: Complete['list'], method?: string): boolean {
  return complete.some((covered) => covered.list === list && covered.method === method);
}

/** Whether nothing on the service gives or takes access that the graph does not have, and tell what it gives. */
export function isWhole(graph: Graph): boolean {
  const lists: GraphList[] = ['methods', 'groups', 'aliases', 'policies', 'identities', 'others'];
  return (
    lists.every((list) => isComplete(graph, list)) &&
    graph.methods.every(({ path }) => isComplete(graph, 'roles', path)) &&
    !hasOpaque(graph)
  );
}

/** Whether a part of it gives what is not known: configuration that was not read, a program, a name that claims fill in. */
function hasOpaque({ roles, others = [] }: Graph): boolean {
  return (
    others.some((node) => effectOf(node) !== 'takes' && isOpaque(node)) ||
    roles.some(({ policies = [] }) => policies.some((name) => name.includes('{{')))
  );
}

/** Names by the ids and accessors that a service gave. */
export type GraphIds = Record<Referred, Readonly<Record<string, string>>>;

/** What a service has: its graph, the names behind its ids, and what could not be read, in words. */
export interface ServiceGraph {
  graph: Graph;
  ids: GraphIds;
  missing: string[];
  /**
   * Aliases of entities that have nothing but one alias: no policies, no group. They bear on no sign-in, and are in no list of the
   * graph, until a plan gives such an entity something.
   */
  plainAliases?: EntityAlias[];
  /** Paths that need `sudo`, as the service itself says; absent where it was not asked. */
  sudo?: SudoPaths | undefined;
}

/** How many nodes a graph has. */
export function sizeOf(graph: Omit<Graph, 'complete'>): number {
  const { complete: _, ...lists } = graph as Graph;
  return Object.values(lists).reduce((sum, part) => sum + part.length, 0);
}

/** The graph with another text of one policy. */
export function withText(graph: Graph, policy: string, text: string): Graph {
  const policies = graph.policies.map((known) =>
    policyKey(known.name) === policy ? { ...known, text } : known,
  );
  return { ...graph, policies };
}

/** A graph of nothing. */
export function emptyGraph(): Graph {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
