import {
  acceptsOutcomes,
  type FinalResult,
  limits,
  type Outcome,
  type Result,
  resultContentType,
  resultToWire,
  severityOutcome,
} from '@gatehouse/core/run-task';
import { addAll, GatehouseError, hasPlan, Stage } from '@gatehouse/core/values';
import type { LimitFunction } from 'p-limit';
import type { Log } from '../log.ts';
import { type Outbound, orAborted } from '../outbound/outbound.ts';
import type { Delivery, DeliveryEnd, DeliveryStore, Reviewed } from './delivery-store.ts';
import { fetchPlan, PlanNotReady } from './fetch-plan.ts';
import type { Endpoint, RunReviewer } from './review.ts';

export interface IntegratorParts {
  deliveries: DeliveryStore;
  /** Calls platforms, at the addresses that each request brings. */
  outbound: Outbound;
  endpoints: ReadonlyMap<string, Endpoint>;
  review: RunReviewer;
  /** How many deliveries may hold a plan in memory. */
  reviewing: LimitFunction;
  /** Bytes. A delivery with a larger plan goes to the queue for large plans. Defaults to no limit, as in that queue. */
  largestPlan?: number;
  sendLarge: (delivery: string) => Promise<void>;
  /** For example `gatehouse/1.2.3 (run task integrator)`. */
  userAgent: string;
  /** Address of a delivery's page, for results without a `url`. Absent if there are no pages. */
  pageOf?: (delivery: string) => string;
  now: () => number;
  log: Log;
  timing: IntegratorTiming;
  stopping: AbortSignal;
  /** Called with the status that answered each callback, or `none`. */
  onAnswer: (answer: string) => void;
  onEnd: (status: DeliveryEnd['status']) => void;
}

/** Milliseconds after the integrator stored the request. */
export interface IntegratorTiming {
  /** A longer review fails. Leaves time for more than one callback. */
  reviewMs: number;
  /** Nothing is sent after this: `Delivery.deadline`. The platform counts its own time, from when the request was accepted. */
  finalStatusMs: number;
}

export const deliveryQueue = 'integrator-delivery';
/** Queue of deliveries with a large plan, so that their reviews hold up no others. */
export const largeDeliveryQueue = 'integrator-large-delivery';

/** A review that crashed its process this often is not started again. */
const mostReviews = 3;
/** Milliseconds for the answer to a callback. */
const answerMs = 15_000;

/** The platform does not have the result yet: the queue retries. */
class NotDelivered extends Error {}

/**
 * Takes one run task request from wherever it is to its end: steps 5 to 9.
 *
 * @throws what makes the queue retry: `PlanNotReady`, `NotDelivered`, a lost database, a stop
 */
export async function runDeliveryJob(
  parts: IntegratorParts,
  { delivery: id }: { delivery: string },
): Promise<void> {
  const { deliveries, log, onEnd } = parts;
  const delivery = await deliveries.read(id);
  if (delivery === undefined) return;
  const end = await reviewAndSend(parts, delivery);
  if (end === undefined) return;
  // Step 9.
  const isNew =
    end.status === 'delivered' ? await deliveries.deliver(id) : await deliveries.endUndelivered(id, end);
  if (!isNew) return;
  if (end.status !== 'delivered') log.warn({ delivery: id, stage: delivery.stage }, end.why);
  onEnd(end.status);
}

/** @returns how the delivery ends; undefined if another process or another queue ends it */
async function reviewAndSend(parts: IntegratorParts, delivery: Delivery): Promise<DeliveryEnd | undefined> {
  const { deliveries, now, log } = parts;
  const { id, stage, result } = delivery;
  const isLate = now() >= delivery.deadline;
  if (result !== undefined) {
    const answers = await deliveries.finalAnswers(id);
    // The process ended between the answer and step 9.
    if (answers.some(isTaken)) return { status: 'delivered' };
    if (isLate) return givenUp('The platform did not confirm the result in time.');
    return await sendResult(parts, delivery, result, answers);
  }
  if (isLate) return givenUp('It was not reviewed in time.');
  const reviewed = await parts.reviewing(() => reviewDelivery(parts, delivery));
  if (reviewed === undefined) {
    await parts.sendLarge(id);
    return undefined;
  }
  // Step 7. From here on, the result is final and only has to be sent.
  if (!(await deliveries.keepResult({ id, ...reviewed }))) return undefined;
  log.info({ delivery: id, stage, status: reviewed.result.status }, 'a run task was reviewed');
  return await sendResult(parts, { ...delivery, outcomesSent: reviewed.shown ?? 0 }, reviewed.result, []);
}

/**
 * Reviews one run task request, from the plan to the result: steps 5 and 6.
 *
 * @returns undefined for a plan that is too large for this queue
 * @throws what makes the queue retry: `PlanNotReady`, a lost database, a stop
 */
async function reviewDelivery(parts: IntegratorParts, delivery: Delivery): Promise<Reviewed | undefined> {
  const { timing, now, stopping, log } = parts;
  const left = delivery.receivedAt + timing.reviewMs - now();
  if (left <= 0) return failedReview('The review did not finish in time.');
  if (delivery.reviewsStarted >= mostReviews) {
    return failedReview(`The review crashed its process ${mostReviews} times and was not started again.`);
  }
  // `AbortSignal.timeout` would keep the delivery in memory until the time is over.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), left);
  try {
    return await review(parts, delivery, AbortSignal.any([stopping, late.signal]));
  } catch (error) {
    if (stopping.aborted) throw error;
    if (late.signal.aborted) return failedReview('The review did not finish in time.');
    if (error instanceof PlanNotReady) throw error;
    if (error instanceof GatehouseError) return reviewFailedBy(error);
    // The result does not quote the error, whose message may quote what was reviewed.
    log.error({ delivery: delivery.id, err: error }, 'a review failed unexpectedly');
    return failedReview('The review failed unexpectedly. The integrator’s log says why.');
  } finally {
    clearTimeout(timer);
  }
}

async function review(
  parts: IntegratorParts,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Reviewed | undefined> {
  const { deliveries, outbound, userAgent, endpoints } = parts;
  const { id, payload, stage, accessToken } = delivery;
  const endpoint = endpoints.get(delivery.endpoint);
  if (endpoint === undefined) return failedReview('This endpoint is no longer served.');
  // Step 5: the plan.
  const url = payload.plan_json_api_url;
  const plan =
    hasPlan(stage) && url ? await fetchPlan(outbound, { url, accessToken, userAgent, signal }) : undefined;
  if (plan !== undefined && plan.length > (parts.largestPlan ?? Number.POSITIVE_INFINITY)) return undefined;
  await deliveries.beginReview(id);
  const digestBefore =
    stage === Stage.preApply
      ? await deliveries.digestAtPostPlan(endpoint.name, payload.run_id ?? null)
      : undefined;
  // Step 6: the review. Outcomes that it reports meanwhile are shown at once.
  const shown: Outcome[] = [];
  const held: Outcome[] = [];
  const work = parts.review(
    {
      endpoint,
      stage,
      payload,
      plan,
      reviewed: digestBefore === undefined ? undefined : { digest: digestBefore },
    },
    async (outcomes) => {
      for (let start = 0; start < outcomes.length; start += limits.outcomes) {
        const batch = outcomes.slice(start, start + limits.outcomes);
        addAll((await isShown(parts, delivery, batch)) ? shown : held, batch);
      }
    },
    signal,
  );
  // A review that ignores its signal is abandoned.
  const { outcomes, digest, ...result } = await orAborted(work, signal);
  return {
    result: { ...result, outcomes: [...shown, ...held, ...outcomes] },
    shown: shown.length,
    digest,
  };
}

/**
 * Sends outcomes with `running`. Outcomes that the platform does not accept go with the final result.
 *
 * @returns whether the platform accepted them
 */
async function isShown(parts: IntegratorParts, delivery: Delivery, outcomes: Outcome[]): Promise<boolean> {
  if (!acceptsOutcomes(delivery.payload)) return false;
  return isTaken(await callBack(parts, delivery, { status: 'running', outcomes }));
}

function failedReview(message: string, outcomes: Outcome[] = []): Reviewed {
  return { result: { status: 'failed', message, outcomes } };
}

/** A result for an error: its message in one line, and an outcome with the lines that people see elsewhere. */
function reviewFailedBy({ message, code }: GatehouseError): Reviewed {
  const line = `Not reviewed: ${message.replace(/\s*\n\s*/g, ' ')}`;
  const details = `    ${message.replaceAll('\n', '\n    ')}`;
  return failedReview(line, [severityOutcome(code, 'error', line, details)]);
}

function givenUp(why: string): DeliveryEnd {
  return { status: 'given_up', why };
}

/**
 * Sends one stored result to its platform: step 8.
 *
 * | Answer                     | What happens                                                                   |
 * | -------------------------- | ------------------------------------------------------------------------------ |
 * | 2xx                        | `delivered`                                                                    |
 * | first 422                  | retried without outcomes: they may be what the platform refuses                |
 * | 422 after that             | `given_up`, if each answer before shows that the result did not arrive         |
 * |                            | `unsure`, if it may have arrived: platforms also refuse what they already have |
 * | any other, or none in 15 s | retried until the deadline, then `given_up`                                    |
 *
 * After no answer, 408 and 5xx the result may have arrived.
 *
 * @param answers the statuses that answered this result before, none of them 2xx; null for no answer
 * @throws NotDelivered, which makes the queue retry
 */
async function sendResult(
  parts: IntegratorParts,
  delivery: Delivery,
  result: FinalResult,
  answers: readonly (number | null)[],
): Promise<DeliveryEnd> {
  const sent = acceptsOutcomes(delivery.payload) ? await sendSurplus(parts, delivery, result) : 0;
  const wasRefused = answers.includes(422);
  const outcomes = wasRefused ? [] : result.outcomes.slice(sent);
  const url = parts.pageOf?.(delivery.id);
  const status = await callBack(parts, delivery, { url, ...result, outcomes });
  if (isTaken(status)) return { status: 'delivered' };
  if (status === 422 && wasRefused) {
    const mayHaveArrived = answers.some((before) => before === null || before === 408 || before >= 500);
    if (!mayHaveArrived) return givenUp('The platform refuses the result, even without its outcomes.');
    const why = 'The platform refuses the result. It may have it from an earlier callback without an answer.';
    return { status: 'unsure', why };
  }
  throw new NotDelivered(
    status === undefined ? 'the platform did not answer' : `the platform answered ${status}`,
  );
}

/** Sends the outcomes that do not fit into one callback, with `running`. @returns how many were sent */
async function sendSurplus(
  parts: IntegratorParts,
  delivery: Delivery,
  { outcomes }: FinalResult,
): Promise<number> {
  let { outcomesSent: sent } = delivery;
  while (outcomes.length - sent > limits.outcomes) {
    const batch = outcomes.slice(sent, sent + limits.outcomes);
    const status = await callBack(parts, delivery, { status: 'running', outcomes: batch });
    // Refused outcomes do not hold up the result.
    if (!isTaken(status) && status !== 422) {
      throw new NotDelivered('the platform did not accept the outcomes');
    }
    sent += batch.length;
    await parts.deliveries.recordSent(delivery.id, sent);
  }
  return sent;
}

/**
 * Sends one result to the platform. It is recorded before it is sent, so that after a crash we know what may have arrived.
 *
 * @returns the status of the answer; undefined if there was none
 */
async function callBack(
  { deliveries, outbound, userAgent, onAnswer }: IntegratorParts,
  { id, payload, accessToken }: Delivery,
  result: Result,
): Promise<number | undefined> {
  const callback = await deliveries.recordCallback({ delivery: id, status: result.status });
  let status: number | undefined;
  let problem: string | undefined;
  try {
    const answer = await outbound.request({
      method: 'PATCH',
      url: payload.task_result_callback_url,
      headers: {
        'content-type': resultContentType,
        authorization: `Bearer ${accessToken}`,
        'user-agent': userAgent,
      },
      body: JSON.stringify(resultToWire(result, acceptsOutcomes(payload))),
      timeoutMs: answerMs,
    });
    status = answer.status;
  } catch (error) {
    problem = (error as Error).message;
  }
  await deliveries.recordAnswer({ callback, status, problem });
  onAnswer(status === undefined ? 'none' : String(status));
  return status;
}

/** Whether a platform accepted what it was sent. The protocol requires 200; every 2xx counts. */
function isTaken(status: number | null | undefined): boolean {
  return status != null && status >= 200 && status < 300;
}
