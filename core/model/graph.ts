import type { Lists } from './resources/resources.ts';

export type { Holder } from './resources/entity.ts';

/**
 * The login graph of a secrets service as plain data: its nodes by resource, which refer to each other by name. An
 * environment worked out to it is the declared graph (`declared.ts`); read from a service it is the live graph
 * (`client/live-graph.ts`); a plan has two, before and after (`change.ts`).
 */
export interface Graph extends Lists {
  /** Whatever else decides who gets in: roles of other auth methods, writes to any path. Never declared. */
  others?: OtherAccess[];
  /**
   * What it knows completely: of that, nothing else exists. Defaults to nothing: a stack or a plan shows a part of a
   * service. A live graph has what its token may list.
   */
  complete?: readonly Complete[];
}

/** All that a list of a graph can have: on the service, or at one auth method. */
export interface Complete {
  list: GraphList;
  /** Path of the auth method, for what belongs to one. */
  method?: string;
}

/** The lists of a graph, by what they hold. */
export type GraphList = Exclude<keyof Graph, 'complete'>;

/** Whether nothing of a list exists that the graph does not have. */
export function isComplete({ complete = [] }: Graph, list: GraphList, method?: string): boolean {
  return complete.some((one) => one.list === list && one.method === method);
}

/** Whether nothing on the service gives or takes access that the graph does not have. */
export function isWhole(graph: Graph): boolean {
  const lists: GraphList[] = ['methods', 'groups', 'aliases', 'policies', 'holders', 'others'];
  return (
    lists.every((list) => isComplete(graph, list)) &&
    graph.methods.every(({ path }) => isComplete(graph, 'roles', path))
  );
}

/** Something other than roles, groups and policies that decides who gets in, or with what. */
export interface OtherAccess {
  /** What it is, in words that name it: `role "app" of auth/k8s (kubernetes)`, `write to auth/ci/role/x`. */
  name: string;
  /** Whether it gives access, takes it (multi-factor enforcement, a quota), or may do either (a write to any path). */
  effect: 'gives' | 'takes' | 'either';
  /** Policies that it gives. */
  policies: string[];
  /** Path of the auth method that it is of. */
  method?: string;
  /** Whether a sign-in there has its policies in addition to those of a role or of others. Defaults to false: it is one by itself. */
  unites?: true;
  /** The entity, or the group, whose policies it gives as well. */
  entity?: string;
  group?: string;
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
  /** Everything else that decides who gets it. Only compared; holds no secret. */
  bounds: Record<string, unknown>;
  /** What decides how long its tokens live. Only compared. */
  lifetime?: Record<string, unknown>;
}

/** A graph with nothing in it. */
export function emptyGraph(): Graph {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
