import { GatehouseError } from '../../core/model/values/errors.ts';
import { hasPlan, Stage } from '../../core/model/values/stage.ts';
import { limits } from '../../core/run-task/limits.ts';
import { type Outcome, severityOutcome } from '../../core/run-task/outcome.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import type { Delivery } from './delivery.ts';
import type { Reviewed } from './delivery-store.ts';
import { fetchPlan, PlanNotReady } from './fetch-plan.ts';
import type { Parts } from './parts.ts';
import { callBack, isTaken } from './platform-client.ts';

/** A review that crashed its process this often is not started again. */
const mostReviews = 3;

/**
 * Reviews one run task request, from the plan to the result: steps 5 and 6.
 *
 * @throws what makes the queue try again: `PlanNotReady`, a lost database, a stop
 */
export async function reviewDelivery(parts: Parts, delivery: Delivery): Promise<Reviewed> {
  const { timing, now, stopping, log } = parts;
  const left = delivery.receivedAt + timing.reviewMs - now();
  if (left <= 0) return failed('The review did not finish in time.');
  if (delivery.reviewsBegun >= mostReviews) {
    return failed(`The review crashed its process ${mostReviews} times and was not started again.`);
  }
  // Not a signal of its own timer, which would keep all of this until the time is over.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), left);
  try {
    return await review(parts, delivery, AbortSignal.any([stopping, late.signal]));
  } catch (error) {
    if (stopping.aborted) throw error;
    if (late.signal.aborted) return failed('The review did not finish in time.');
    if (error instanceof PlanNotReady) throw error;
    if (error instanceof GatehouseError) return failedBy(error);
    // Its message may quote what was reviewed.
    log.error({ delivery: delivery.id, err: error }, 'a review failed unexpectedly');
    return failed('The review failed unexpectedly. The integrator’s log says why.');
  } finally {
    clearTimeout(timer);
  }
}

async function review(parts: Parts, delivery: Delivery, signal: AbortSignal): Promise<Reviewed> {
  const { deliveries, outbound, userAgent, endpoints } = parts;
  const { id, payload, stage, accessToken } = delivery;
  const endpoint = endpoints.get(delivery.endpoint);
  if (endpoint === undefined) return failed('This endpoint is no longer served.');
  // 5. The plan.
  const url = payload.plan_json_api_url;
  const plan =
    hasPlan(stage) && url ? await fetchPlan(outbound, { url, accessToken, userAgent, signal }) : undefined;
  await deliveries.beginReview(id);
  // 6. The review. Outcomes it finds on the way are shown at once.
  const shown: Outcome[] = [];
  const held: Outcome[] = [];
  const work = parts.review(
    { endpoint, stage, payload, plan, reviewed: await reviewedBefore(parts, delivery) },
    async (outcomes) => {
      for (let at = 0; at < outcomes.length; at += limits.outcomes) {
        const some = outcomes.slice(at, at + limits.outcomes);
        ((await isShown(parts, delivery, some)) ? shown : held).push(...some);
      }
    },
    signal,
  );
  const { outcomes, digest, ...result } = await orAborted(work, signal);
  return {
    result: { ...result, outcomes: [...shown, ...held, ...outcomes] },
    shown: shown.length,
    digest,
  };
}

/** At pre_apply: the digest of the same run's plan that was reviewed at post_plan. */
async function reviewedBefore(
  { deliveries }: Parts,
  { endpoint, payload, stage }: Delivery,
): Promise<{ digest: string } | undefined> {
  if (stage !== Stage.preApply) return undefined;
  const digest = await deliveries.digestAtPostPlan(endpoint, payload.run_id ?? null);
  return digest === undefined ? undefined : { digest };
}

/** Sends outcomes with `running`. Those that the platform does not accept go with the final result. */
async function isShown(parts: Parts, delivery: Delivery, outcomes: Outcome[]): Promise<boolean> {
  if (!acceptsOutcomes(delivery.payload)) return false;
  return isTaken(await callBack(parts, delivery, { status: 'running', outcomes }));
}

function failed(message: string, outcomes: Outcome[] = []): Reviewed {
  return { result: { status: 'failed', message, outcomes } };
}

/** The message is one short line; what was given and how to fix it is an outcome. */
function failedBy({ message, code, parts: { what } }: GatehouseError): Reviewed {
  const line = `Not reviewed: ${what}`;
  const details = `    ${message.replaceAll('\n', '\n    ')}`;
  return failed(line, [severityOutcome(code, 'error', line, details)]);
}

/** A review that ignores its signal is abandoned. */
async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
