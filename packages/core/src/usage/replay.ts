import { policySides } from '../access/policy-sides.ts';
import type { Change } from '../graph/change.ts';
import { isSame } from '../graph/resources/field.ts';
import { partsIn, resources } from '../graph/resources/resources.ts';
import { type Subject, subjectKey } from '../graph/subject.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { missingLines } from './damaged-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { foreignLog } from './foreign-log.ts';
import { type HeldPolicies, possibleLists } from './held-policies.ts';
import { LoggedPrincipals, type LoggedService } from './logged-principals.ts';
import type { AskedRequest, LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { type MissingFromLog, uniqueMissing } from './missing-from-log.ts';
import { asOfToday, missingMounts } from './moved-mounts.ts';
import { type Because, type Judgment, RequestJudge } from './request-judge.ts';
import type { SignedInAt, SignInDoubt } from './sign-in-doubt.ts';
import type { UsageReason } from './usage-reason.ts';

/** A request of the log that a change refuses, or may refuse. */
export interface ReplayedRequest {
  request: LoggedRequest;
  /** Where its principals signed in, if the log or the graph tells. */
  at?: SignedInAt;
  /** The patterns that decide on each side. */
  pattern: { before?: string | undefined; after?: string | undefined };
  because: ReplayCause;
}

/** Why a request is refused; or what is missing to tell. */
export type ReplayCause =
  | Because
  | { kind: 'sign-in'; doubt: SignInDoubt }
  | { kind: 'sign-in-unknown'; doubt: SignInDoubt };

/** What a change does to the requests of a log, if everyone signs in anew. */
export interface Replay {
  /** The time that the log covers, in milliseconds since 1970. */
  from?: number;
  to?: number;
  /** Requests that were allowed, each counted. */
  requests: number;
  refused: ReplayedRequest[];
  unknown: ReplayedRequest[];
  /** Requests that another rule allows than before. */
  byAnotherRule: number;
  /** Requests that were allowed, and would be refused without the change as well: policies have changed since. */
  already: number;
  /** Requests that the replay does not have, as they were too many. */
  notHeld: number;
  /** Requests in other namespaces, which are not sent again. */
  otherNamespaces: number;
  /** What the log lacks, and what the change leaves unknown and no request can be held against. */
  missing: MissingFromLog[];
}

export type ReplayedChange = Pick<Change, 'before' | 'after'> & Partial<Pick<Change, 'unknown' | 'replaced'>>;

/**
 * Sends the requests of a log again, to the service as it is and as it will be. One that was allowed and would not be is
 * refused; where that depends on something the log does not hold, it is unknown.
 *
 * @param now nanoseconds since 1970
 * @param hashes what the audit device makes of values in policies, by the value
 */
export function replay(
  log: FoldedLog,
  change: ReplayedChange,
  options: Omit<LoggedService, 'graph'> & { now: bigint; hashes?: ReadonlyMap<string, string> },
): Replay {
  const { ids = {}, now, hashes = new Map<string, string>(), sudo } = options;
  const judgeBefore = new RequestJudge({ graph: change.before, ids, hashes, sudo }, now);
  const { unknown = [], replaced = [] } = change;
  const hidden = new Set(unknown.flatMap(({ type, name }) => (type === 'policy' ? policyKey(name) : [])));
  const judgeAfter = new RequestJudge({ graph: change.after, ids, hashes, hidden, sudo }, now);
  const known = { graph: change.before, ids };
  const principals = new LoggedPrincipals(known, change.after, log, { unknown, replaced });
  const foreign = foreignLog(log, known);
  const result: Replay = {
    requests: 0,
    refused: [],
    unknown: [],
    byAnotherRule: 0,
    already: 0,
    from: log.from,
    to: log.to,
    notHeld: log.notHeld,
    otherNamespaces: log.otherNamespaces,
    missing: [
      ...(foreign === undefined ? [] : [foreign]),
      ...missingLines(log.damaged),
      ...missingMounts(log.moves),
      ...nameless(change),
    ],
  };
  const isUntouched = untouched(change, hidden, principals);
  for (const logged of log.requests) {
    if (logged.outcome !== 'allowed') continue;
    result.requests += logged.count;
    const { by } = logged;
    if (isUntouched(by)) continue;
    if (by.unknown !== undefined) {
      const missing = { kind: 'token-policies' as const, which: by.unknown };
      result.unknown.push({ request: logged, pattern: {}, because: { kind: 'unknown', missing } });
      continue;
    }
    const sent = asOfToday(logged).map((request) => ({
      request,
      before: judgedAnew(judgeBefore, principals, 'before', by, request),
      after: judgedAnew(judgeAfter, principals, 'after', by, request),
    }));
    const answered = whereItLoses(sent);
    if (answered !== undefined) addAnswered(result, answered, () => principals.signedInAt(by));
  }
  return result;
}

/** A request of the log, with its answers before and after the change. */
interface SentAgain {
  request: LoggedRequest;
  before: ReplayedAnswer;
  after: ReplayedAnswer;
}

/** Of the mounts that a request may be of, the one where it loses. */
function whereItLoses(sent: readonly SentAgain[]): SentAgain | undefined {
  return (
    sent.find(({ before, after }) => before.answer !== 'refused' && after.answer !== 'allowed') ??
    sent.find(({ before, after }) => before.answer === 'allowed' || after.answer === 'allowed') ??
    sent[0]
  );
}

/** @param signedInAt where its principals signed in, which is only worked out for requests that are lost */
function addAnswered(
  result: Replay,
  { request, before, after }: SentAgain,
  signedInAt: () => SignedInAt | undefined,
): void {
  if (after.answer === 'allowed') {
    if (before.answer === 'allowed' && before.pattern !== after.pattern)
      result.byAnotherRule += request.count;
  } else if (before.answer === 'refused' && after.answer === 'refused') result.already += request.count;
  else {
    const because = after.because ?? { kind: 'no-rule' };
    result[after.answer].push({
      request,
      at: signedInAt(),
      pattern: { before: before.pattern, after: after.pattern },
      because,
    });
  }
}

type ReplayedAnswer = Omit<Judgment, 'because'> & { because?: ReplayCause };

/** The answer to a token that is made in the same way as that of the log: where it cannot be made, there is none. */
function judgedAnew(
  judge: RequestJudge,
  principals: LoggedPrincipals,
  side: 'before' | 'after',
  by: LoggedPrincipal,
  request: AskedRequest,
): ReplayedAnswer {
  const held = principals.held(by)[side];
  const { making } = held;
  if (making === undefined) return judged(judge, held, by, request);
  const allows = judgedAnew(judge, principals, side, making.by, making.request);
  if (allows.answer === 'unknown') return allows;
  if (allows.answer === 'refused') return refusedBy({ kind: 'maker-refused' });
  const { sure } = principals.held(making.by)[side];
  if (making.needsSudo && !judge.hasSudo(sure, making.by.entity, making.request))
    return refusedBy({ kind: 'maker-lacks' });
  return judged(judge, held, by, request);
}

const refusedBy = (doubt: SignInDoubt): ReplayedAnswer => ({
  answer: 'refused',
  policies: [],
  because: { kind: 'sign-in', doubt },
});

const unknownBy = (doubt: SignInDoubt): ReplayedAnswer => ({
  answer: 'unknown',
  policies: [],
  because: { kind: 'sign-in-unknown', doubt },
});

/** The answer by each list of policies that the log leaves possible; unknown where these differ. */
function judged(
  judge: RequestJudge,
  held: HeldPolicies,
  { entity }: LoggedPrincipal,
  request: AskedRequest,
): ReplayedAnswer {
  const { maybe, signIn } = held;
  if (signIn?.answer === 'refused') return refusedBy(signIn.doubt);
  const unknown = (missing: UsageReason): ReplayedAnswer => ({
    answer: 'unknown',
    policies: [],
    because: { kind: 'unknown', missing },
  });
  if (signIn?.answer === 'open') return unknownBy(signIn.doubt);
  const lists = possibleLists(held);
  if (!Array.isArray(lists)) return unknown(lists);
  let first: Judgment | undefined;
  for (const list of lists) {
    const judgment = judge.judge(list, entity, request);
    if (first !== undefined && first.answer !== judgment.answer)
      return unknown(maybe[0]?.missing ?? { kind: 'held-policies' });
    first ??= judgment;
    if (judgment.answer === 'unknown') return judgment;
  }
  // A request that all lists refuse stays refused, whether they can sign in or not.
  if (signIn !== undefined && first?.answer !== 'refused') return unknownBy(signIn.doubt);
  return first ?? unknown({ kind: 'held-policies' });
}

/** Whether the change leaves the sign-in, the policies and their rules of principals as they are: then all answers stay. */
function untouched(
  { before, after }: ReplayedChange,
  hidden: ReadonlySet<string>,
  principals: LoggedPrincipals,
): (who: LoggedPrincipal) => boolean {
  const kept = new Map<string, boolean>();
  const isKept = (name: string) => {
    const isKnownKept = kept.get(name);
    if (isKnownKept !== undefined) return isKnownKept;
    const isSameText = !hidden.has(name) && policySides([name], before, after).get(name)?.isSame === true;
    kept.set(name, isSameText);
    return isSameText;
  };
  const known = new Map<LoggedPrincipal, boolean>();
  const isUntouched = (who: LoggedPrincipal): boolean => {
    const untouchedKnown = known.get(who);
    if (untouchedKnown !== undefined) return untouchedKnown;
    const held = principals.held(who);
    const names = [...held.after.sure, ...held.after.maybe.map(({ policy }) => policy)];
    const maker = who.lineage?.making?.by;
    const isMakerKept = maker === undefined || isUntouched(maker);
    const hasSameAnswers =
      isMakerKept &&
      held.after.signIn === undefined &&
      isSame({ ...held.before, making: undefined }, { ...held.after, making: undefined }) &&
      held.before.making?.needsSudo === held.after.making?.needsSudo &&
      names.every(isKept);
    known.set(who, hasSameAnswers);
    return hasSameAnswers;
  };
  return isUntouched;
}

/** Parts of unknown name that requests of the log may be about. */
function nameless({ before, after, unknown = [] }: ReplayedChange): MissingFromLog[] {
  const names = new Set(
    [before, after].flatMap((graph) =>
      resources.flatMap((resource) =>
        partsIn(graph, resource).map((part) =>
          subjectKey({ type: resource.type, name: resource.nameOf(part) }),
        ),
      ),
    ),
  );
  const isNamed = ({ type, name, method }: Subject) => {
    if (type === 'message' || type === 'promise' || type === 'service') return true;
    return type === 'alias' ? method !== undefined : names.has(subjectKey({ type, name }));
  };
  const missingOf = ({ field: _, ...subject }: Subject): MissingFromLog =>
    subject.type === 'entity' ? { kind: 'unnamed-entity' } : { kind: 'unnamed', subject };
  return uniqueMissing(unknown.filter((subject) => !isNamed(subject)).map(missingOf));
}
