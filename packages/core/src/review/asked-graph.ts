import { uncertainOf } from '../access/questions/change.ts';
import type { Change } from '../graph/change.ts';
import type { Graph, ServiceGraph } from '../graph/graph.ts';
import type { openPathsIn } from '../graph/policies/open-paths.ts';
import { reasonWords } from '../words/reason-words.ts';
import { composeChanges, type Place } from './plan/compose-change.ts';
import type { LiveService } from './plan/live-service.ts';
import type { PlanResources } from './plan/planned-resource.ts';

/** A graph that is asked about, and what else may give access and is not in it, in words. */
export interface AskedGraph {
  place: Place;
  /** Path of its namespace below the one that the question is asked in; empty for that itself. */
  path: string;
  graph: Graph;
  /** The change that leads to this graph, if it is that of a plan. */
  change?: Change;
  unseen: string[];
  /** Paths that need `sudo`, as the service itself says; absent where it was not asked. */
  sudo?: ServiceGraph['sudo'];
  /** Paths that need no token, as the service itself says; absent where it was not asked. */
  tokenless?: ReturnType<typeof openPathsIn>;
}

/**
 * What a plan leads to: a graph for each server and namespace.
 *
 * @param live what the service has that the plan is for. Defaults to not known.
 */
export function graphsAfter(plan: PlanResources, live?: LiveService): AskedGraph[] {
  const leftOut = [
    ...plan.incomplete,
    ...plan.passedOver.flatMap(({ type, ofService, changed }) =>
      ofService && changed > 0 ? `what resources of type ${type} give` : [],
    ),
  ];
  return composeChanges(plan, live).map(({ place, change }) => ({
    place,
    change,
    path: place.namespace ?? '',
    graph: change.after,
    unseen: [...uncertainOf(change.unknown).map(reasonWords), ...leftOut],
  }));
}
