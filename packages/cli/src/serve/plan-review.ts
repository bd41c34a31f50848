import { Readable } from 'node:stream';
import { subjectName } from '@gatehouse/core/graph';
import {
  accessLines,
  composeChanges,
  type PlannedSource,
  type PulumiPreview,
  parsePlanJson,
  planResources,
  type ReplaySummary,
  type Review,
  type ReviewOptions,
  readPulumiPreview,
  review,
  type Severity,
  summaryOf,
  verdictWords,
} from '@gatehouse/core/review';
import { type FinalResult, planDigest } from '@gatehouse/core/run-task';
import { statementOf } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import { replayPlan } from '../usage/replay-plan.ts';
import { reviewResult } from './outcomes.ts';

/** A plan and how to judge it: plain data, which can be sent to a thread. */
export interface PlanToReview {
  /** JSON, or what an engine of ours planned. */
  plan: Uint8Array | PulumiPreview;
  options: ReviewOptions;
  /** Findings of this severity or worse fail it. */
  failOn: Severity;
  /** Audit logs that are replayed, each by its last 2 GB. Defaults to none. */
  logs?: readonly string[] | undefined;
  /** What a statement of the review says of the plan. Defaults to none: no statement is made. */
  stated?:
    | { change: Parameters<typeof statementOf>[0]; circumstances: Parameters<typeof statementOf>[2] }
    | undefined;
}

export interface ReviewedPlan {
  result: FinalResult;
  /** Digest of a plan that is JSON. */
  digest?: string;
  gains: Review['gains'];
  life: Review['life'];
  /** `weaker`: later deployments are asked for less. */
  gate: 'same' | 'weaker';
  taken: Review['taken'];
  /** The verdict, then who gains what, or what is missing to judge it. */
  gained: string[];
  /** Who loses what. */
  lost: string[];
  /** Not signed yet: this thread has no key. */
  statement?: ReturnType<typeof statementOf>;
}

/** Reviews a plan. @throws GatehouseError what `parsePlanJson` and `planResources` throw */
export async function reviewPlanned({
  plan,
  options,
  failOn,
  logs = [],
  stated,
}: PlanToReview): Promise<ReviewedPlan> {
  const json = plan instanceof Uint8Array ? parsePlanJson(Buffer.from(plan).toString('utf8')) : undefined;
  const resources = plan instanceof Uint8Array ? planResources(json) : readPulumiPreview(plan);
  const planned = { ...resources, changes: composeChanges(resources, options.live) };
  const replay = logs.length > 0 ? await replayed(planned, options, logs) : undefined;
  const reviewed = review(planned, { ...options, replay });
  return {
    result: reviewResult(reviewed, failOn),
    ...toConfirm(reviewed),
    taken: reviewed.taken,
    ...(stated && { statement: statementOf(stated.change, reviewed, stated.circumstances) }),
    ...(plan instanceof Uint8Array && { digest: planDigest(json) }),
  };
}

/** Bytes that are read in some ten seconds. */
const mostReplayed = 2 ** 31;

/** A log that cannot be read holds up no review: it says so. */
async function replayed(
  planned: PlannedSource,
  options: ReviewOptions,
  logs: readonly string[],
): Promise<ReplaySummary> {
  try {
    const request = { logs, stdin: Readable.from([]), people: false, last: mostReplayed };
    return await replayPlan(planned, options, request);
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const nothingSent = {
      requests: 0,
      byAnotherRule: 0,
      already: 0,
      notHeld: 0,
      otherNamespaces: 0,
      refused: [],
      unknown: [],
    };
    const missing = [{ kind: 'not-read' as const, what: error.parts.what }];
    return summaryOf({ ...nothingSent, missing: [] }, { missing, onService: false });
  }
}

/** What a person confirms: who gains, tokens that live longer, and a gate that asks for less. */
function toConfirm(review: Review): Omit<ReviewedPlan, 'result' | 'taken'> {
  const weaker = review.findings.filter(({ rule }) => rule === 'gate-weakened');
  return {
    gains: review.gains,
    life: review.life,
    gate: weaker.length > 0 ? 'weaker' : 'same',
    gained: [
      [verdictWords(review), ...(weaker.length > 0 ? ['Deployments are asked for less.'] : [])].join(' '),
      ...accessLines(review, 'gains'),
      ...weaker.map(({ subject, message }) => `${subjectName(subject)}: ${message}`),
    ],
    lost: accessLines(review, 'losses'),
  };
}
