import type { Readable } from 'node:stream';
import type { Reason } from '@gatehouse/core/access';
import { type Change, emptyGraph, trimmed } from '@gatehouse/core/graph';
import {
  composeChanges,
  type PlannedSource,
  type PlanResources,
  type ReplaySummary,
  type Review,
  type ReviewOptions,
  review,
  summaryOf,
} from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';

/** Which logs are replayed, and what is said of them. */
export interface ReplayRequest {
  /** Paths of audit logs; `-` for standard input. */
  logs: readonly string[];
  stdin: Readable;
  /** Show people and paths. */
  people: boolean;
  /** Only the last bytes of each log. Defaults to all of it. */
  last?: number;
  /** What the audit device makes of texts. Defaults to not known. */
  hash?: ((texts: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>) | undefined;
}

/**
 * Reviews a plan, and sends the requests of logs again where there are some.
 *
 * @throws GatehouseError what `replayPlan` throws
 */
export async function reviewReplayed(
  plan: PlanResources,
  options: ReviewOptions,
  request: ReplayRequest | undefined,
): Promise<Review> {
  const changes = composeChanges(plan, options.live);
  const replay = request && (await replayPlan({ ...plan, changes }, options, request));
  return review({ ...plan, changes }, { ...options, replay });
}

/**
 * Sends the requests of audit logs again, to what a plan makes of its service.
 *
 * @throws GatehouseError `option_conflict` if the plan is for several services, and what `readLog` throws
 */
export async function replayPlan(
  plan: PlannedSource,
  options: ReviewOptions,
  request: ReplayRequest,
): Promise<ReplaySummary> {
  const { live } = options;
  const changes = plan.changes ?? composeChanges(plan, live);
  const servers = new Set(changes.map(({ place }) => place.server));
  const namespaces = [...new Set(changes.map(({ place }) => place.namespace ?? ''))];
  const [only = '', ...rest] = namespaces;
  const named = options.service === undefined ? live?.namespace : (options.service.namespace ?? '');
  if (servers.size > 1 || (named === undefined && rest.length > 0)) {
    throw new GatehouseError('option_conflict.replay', {
      given: servers.size > 1 ? `${servers.size} servers` : `namespaces ${namespaces.join(', ')}`,
    });
  }
  const namespace = trimmed(named ?? only);
  const planned = changes.find(({ place }) => (place.namespace ?? '') === namespace)?.change;
  const unseen = plan.passedOver.flatMap(({ type, ofService, changed }): Reason[] =>
    ofService && changed > 0 ? [{ kind: 'resources-not-read', type, count: changed }] : [],
  );
  const incomplete = plan.incomplete.map((what): Reason => ({ kind: 'not-read', what }));
  const change = planned ?? unchanged(live?.namespace === namespace ? live.graph : emptyGraph());
  return replayChange(change, { ...options, namespace }, request, [...incomplete, ...unseen]);
}

/**
 * Sends the requests of audit logs again, to what a change makes of one namespace.
 *
 * @throws GatehouseError what `readLog` throws
 */
export async function replayChange(
  change: Change,
  { live, now, namespace }: Pick<ReviewOptions, 'live' | 'now'> & { namespace: string },
  { logs: files, stdin, people, last, hash }: ReplayRequest,
  missing: readonly Reason[] = [],
): Promise<ReplaySummary> {
  // Most reviews replay nothing.
  const [{ RequestJudge, replay }, { readLog }] = await Promise.all([
    import('@gatehouse/core/usage'),
    import('./read-log.ts'),
  ]);
  const sides = [change.before, change.after].map((graph) => new RequestJudge({ graph }, now));
  const watched = new Set(sides.flatMap((side) => [...side.watched()]));
  const literals = new Set(sides.flatMap((side) => [...side.literals()]));
  const hashes = (await hash?.(literals)) ?? new Map<string, string>();
  const log = await readLog({ files, stdin, last, namespace, watched, hashes });
  const ids = live?.namespace === namespace ? live.ids : undefined;
  const replayed = replay(log, change, { now, hashes, sudo: live?.sudo, ...(ids && { ids }) });
  return summaryOf(replayed, { people, missing, onService: ids !== undefined });
}

function unchanged(graph: Change['before']): Change {
  return { before: graph, after: graph, replaced: [], rotated: [], unknown: [] };
}
