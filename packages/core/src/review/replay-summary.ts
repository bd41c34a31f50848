import type { Reason } from '../access/reasons/reason.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { partName } from '../graph/values/visible.ts';
import type { LoggedRequest } from '../usage/logged-request.ts';
import { type MissingFromLog, uniqueMissing } from '../usage/missing-from-log.ts';
import type { Replay, ReplayCause, ReplayedRequest } from '../usage/replay.ts';
import { withoutPerson } from '../usage/sign-in-doubt.ts';

/** What a replay leaves out: of a log, or of a plan. */
export type NotReplayed = MissingFromLog | Reason;

/** Requests, and how many principals sent them. */
export interface ReplayCount {
  requests: number;
  principals: number;
}

/** Requests that the same becomes of, for the same reason, by the same role. */
export interface ReplayGroup extends ReplayCount {
  answer: 'refused' | 'unknown';
  /** What they signed in with: `role ci/web`. */
  by: string;
  /** Why they are refused, or what is missing to tell; without people. */
  because: ReplayCause;
  /** The pattern of the rule that decided before. Only where people are shown. */
  rule?: string;
  /** The last of them. Only where people are shown. */
  example?: { at: string; who: string; operation: string; path: string };
}

/** What a change does to the requests of an audit log. Without people and paths, unless they are asked for. */
export interface ReplaySummary {
  /** The time that the log covers: RFC 3339. */
  from?: string;
  to?: string;
  /** Requests that were allowed. */
  requests: number;
  refused: ReplayCount;
  unknown: ReplayCount;
  /** Requests that another rule allows than before. */
  byAnotherRule: number;
  /** Requests that would be refused without the change as well. */
  already: number;
  /** Requests that were not sent again: too many that differ, and those in other namespaces. */
  notHeld: number;
  otherNamespaces: number;
  groups: ReplayGroup[];
  /** What of the change was not replayed. */
  missing: NotReplayed[];
  /** Whether what the service has was known. */
  onService: boolean;
}

export interface SummaryOptions {
  /** Show people and paths. Defaults to false. */
  people?: boolean;
  /** What of the change the replay cannot have. Defaults to nothing. */
  missing?: readonly Reason[];
  onService: boolean;
}

/** Puts a replay together for a reader: refusals first, then what most requests are about. */
export function summaryOf(replay: Replay, options: SummaryOptions): ReplaySummary {
  const { from, to, requests, refused, unknown, byAnotherRule, already, notHeld, otherNamespaces } = replay;
  const { people = false, missing = [], onService } = options;
  const grouped = (answer: ReplayGroup['answer']) =>
    [
      ...Map.groupBy(replay[answer], (request) =>
        sortedJson([byOf(request), people && request.pattern.before, becauseOf(request)]),
      ),
    ]
      .map(([, all]) => groupOf(answer, all, people))
      .sort((left, right) => right.requests - left.requests);
  return {
    ...(from !== undefined && { from: timeOf(from) }),
    ...(to !== undefined && { to: timeOf(to) }),
    requests,
    refused: countOf(refused),
    unknown: countOf(unknown),
    byAnotherRule,
    already,
    notHeld,
    otherNamespaces,
    groups: [...grouped('refused'), ...grouped('unknown')],
    missing: uniqueMissing([...missing, ...replay.missing]),
    onService,
  };
}

function groupOf(answer: ReplayGroup['answer'], all: ReplayedRequest[], people: boolean): ReplayGroup {
  const last = all.reduce((latest, request) =>
    request.request.last > latest.request.last ? request : latest,
  );
  const { by, operation, path, last: at } = last.request;
  return {
    answer,
    ...countOf(all),
    by: byOf(last),
    because: becauseOf(last),
    ...(people && last.pattern.before !== undefined && { rule: last.pattern.before }),
    ...(people && { example: { at: timeOf(at), who: by.name, operation, path } }),
  };
}

function countOf(all: readonly { request: LoggedRequest }[]): ReplayCount {
  return {
    requests: all.reduce((sum, { request }) => sum + request.count, 0),
    principals: new Set(all.map(({ request: { by } }) => by.entity || by.name)).size,
  };
}

/** Names of users are people: only roles are named. */
function byOf({ at }: ReplayedRequest): string {
  if (at === undefined) return 'tokens of unknown origin';
  return at.role === '' || at.isPerson ? `auth/${at.method}` : partName('role', at.method, at.role);
}

function becauseOf({ because }: ReplayedRequest): ReplayCause {
  return 'doubt' in because ? { ...because, doubt: withoutPerson(because.doubt) } : because;
}

const timeOf = (at: number): string => new Date(at).toISOString();
