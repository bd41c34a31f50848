import type { Graph, GraphList, ResourceKey } from '../../graph/graph.ts';
import type { Subject } from '../../graph/subject.ts';

/** One entry of a graph, with the list that it belongs to. */
export interface Part {
  list: GraphList;
  entry: Required<Graph>[GraphList][number];
}

/** What a resource comes to on one side. */
export interface Composed extends Part {
  identity: ResourceKey;
  key: string;
  subject: Subject;
  /** Names of what it hangs on, and goes with. */
  hangsOn: { mount?: string | undefined; group?: string | undefined; entity?: string | undefined };
  /** It adds to what it hangs on, and is nothing by itself. */
  isAdded?: true;
  /** What it refers to and the plan does not tell; it cannot be judged when it changes. */
  unknownParts: Subject[];
  /** What it is in addition. */
  extra?: Part | undefined;
}

/** What a resource is by itself; the rest follows from what it refers to. */
export type Made = Pick<Composed, 'identity' | 'subject' | 'list' | 'entry'> & Partial<Composed>;
