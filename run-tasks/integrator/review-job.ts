import { GatehouseError } from '../../core/model/values/errors.ts';
import { parsePlanJson } from '../../core/review/plan/read-plan.ts';
import { limits } from '../../core/run-task/limits.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import { hasPlan, Stage } from '../../core/run-task/stage.ts';
import { type Delivery, deliveryOf, type FinalResult, giveUp } from './delivery.ts';
import { fetchPlan, PlanNotReady } from './fetch-plan.ts';
import { type Parts, queues } from './parts.ts';
import { planDigest } from './plan-digest.ts';
import { isTaken, type PlatformClient } from './platform-client.ts';

/** A review that ended its process this often is not started again. */
const mostReviews = 3;

/** The work on one run task request, from the plan to the stored result: steps 5 to 7. */
export class ReviewJob {
  readonly #parts: Parts;
  readonly #client: PlatformClient;

  constructor(parts: Parts, client: PlatformClient) {
    this.#parts = parts;
    this.#client = client;
  }

  /** @throws what makes the queue try again: `PlanNotReady`, a lost database, a stop */
  async run({ delivery: id }: { delivery: string }): Promise<void> {
    const { database, queue, now, log } = this.#parts;
    const [row] = await database.query(
      `UPDATE deliveries SET status = 'working' WHERE id = $1 AND status IN ('received', 'working') RETURNING *`,
      [id],
    );
    if (row === undefined) return;
    const delivery = deliveryOf(row);
    if (now() >= delivery.deadline)
      return await giveUp(this.#parts, delivery, 'It was not reviewed in time.');
    const { result, digest } = await this.#conclude(delivery);
    // 7. The result, and the job that sends it to the platform: both or neither.
    await database.transaction(async (sql) => {
      const [stored] = await sql.query(
        `UPDATE deliveries SET status = 'reviewed', result = $2, plan_digest = $3
         WHERE id = $1 AND status = 'working' RETURNING id`,
        [id, JSON.stringify(result), digest ?? null],
      );
      if (stored !== undefined) await queue.send(sql, queues.callback, { delivery: id });
    });
    log.info({ delivery: id, stage: delivery.stage, status: result.status }, 'a run task was reviewed');
  }

  async #conclude(delivery: Delivery): Promise<{ result: FinalResult; digest?: string }> {
    const { timing, now, stopping, log } = this.#parts;
    const left = delivery.receivedAt + timing.reviewMs - now();
    if (left <= 0) return { result: failed('The review did not finish in time.') };
    if (delivery.reviewsBegun >= mostReviews) {
      return {
        result: failed(`The review ended its process ${mostReviews} times and was not started again.`),
      };
    }
    const late = AbortSignal.timeout(left);
    const signal = AbortSignal.any([stopping, late]);
    try {
      return await this.#review(delivery, signal);
    } catch (error) {
      if (stopping.aborted) throw error;
      if (late.aborted) return { result: failed('The review did not finish in time.') };
      if (error instanceof PlanNotReady) throw error;
      if (error instanceof GatehouseError) return { result: failed(error.message) };
      // Its message may quote what was reviewed.
      log.error({ delivery: delivery.id, err: error }, 'a review failed unexpectedly');
      return { result: failed('The review failed unexpectedly. The integrator’s log says why.') };
    }
  }

  async #review(delivery: Delivery, signal: AbortSignal): Promise<{ result: FinalResult; digest?: string }> {
    const { database, outbound, userAgent, review, endpoints } = this.#parts;
    const { payload, stage, endpoint: name, accessToken } = delivery;
    const endpoint = endpoints.get(name);
    if (endpoint === undefined) return { result: failed('This endpoint is no longer served.') };
    // 5. The plan.
    const url = payload.plan_json_api_url;
    const bytes =
      hasPlan(stage) && url ? await fetchPlan(outbound, { url, accessToken, userAgent, signal }) : undefined;
    await database.query('UPDATE deliveries SET reviews_begun = reviews_begun + 1 WHERE id = $1', [
      delivery.id,
    ]);
    const plan = bytes && parsePlanJson(bytes.toString('utf8'));
    const digest = plan === undefined ? undefined : planDigest(plan);
    // 6. The review. What it finds meanwhile is shown at once.
    const held: Outcome[] = [];
    const reviewed = stage === Stage.preApply ? await this.#reviewedBefore(delivery) : undefined;
    const work = review(
      { endpoint, stage, payload, plan, digest, reviewed },
      async (outcomes) => {
        held.push(...(await this.#show(delivery, outcomes)));
      },
      signal,
    );
    const result = await orAborted(work, signal);
    return {
      result: { ...result, outcomes: [...held, ...result.outcomes] },
      ...(digest === undefined ? {} : { digest }),
    };
  }

  /** Digest of the plan of the same run that was reviewed at post_plan. */
  async #reviewedBefore({ endpoint, payload }: Delivery): Promise<{ digest: string } | undefined> {
    const [row] = await this.#parts.database.query(
      `SELECT plan_digest FROM deliveries
       WHERE endpoint = $1 AND run_id = $2 AND stage = 'post_plan' AND plan_digest IS NOT NULL
       ORDER BY received_at DESC LIMIT 1`,
      [endpoint, payload.run_id ?? null],
    );
    return row && { digest: row['plan_digest'] as string };
  }

  /** Sends outcomes with `running`. @returns those that the platform did not accept: they go with the final result */
  async #show(delivery: Delivery, outcomes: Outcome[]): Promise<Outcome[]> {
    if (!acceptsOutcomes(delivery.payload)) return [];
    const left: Outcome[] = [];
    for (let at = 0; at < outcomes.length; at += limits.outcomes) {
      const some = outcomes.slice(at, at + limits.outcomes);
      const status = await this.#client.callBack(delivery, { status: 'running', outcomes: some });
      if (!isTaken(status)) left.push(...some);
    }
    return left;
  }
}

function failed(message: string): FinalResult {
  return { status: 'failed', message, outcomes: [] };
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
