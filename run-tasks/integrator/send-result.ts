import { limits } from '../../core/run-task/limits.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import type { FinalResult } from '../../core/run-task/result.ts';
import type { Delivery } from './delivery.ts';
import type { Parts } from './parts.ts';
import { callBack, isTaken } from './platform-client.ts';

/** The platform does not have the result yet: it is sent again later. */
class NotDelivered extends Error {}

/**
 * Sends one stored result to its platform: step 8.
 *
 * @param answers the statuses that answered this result before; null for no answer
 * @returns undefined once the platform has it; else why it will never take it
 * @throws NotDelivered, which makes the queue try again
 */
export async function sendResult(
  parts: Parts,
  delivery: Delivery,
  result: FinalResult,
  answers: readonly (number | null)[],
): Promise<string | undefined> {
  const sent = acceptsOutcomes(delivery.payload) ? await sendSurplus(parts, delivery, result) : 0;
  const mayHaveArrived = answers.some((status) => status === null || status === 408 || status >= 500);
  const wasRefused = answers.includes(422);
  const outcomes = wasRefused ? [] : result.outcomes.slice(sent);
  const url = parts.pageOf?.(delivery.id);
  const status = await callBack(parts, delivery, { url, ...result, outcomes });
  // A 422 may only mean that the final status had already arrived.
  if (isTaken(status) || (status === 422 && mayHaveArrived)) return undefined;
  if (status === 422 && wasRefused) return 'The platform refuses the result, even without its outcomes.';
  throw new NotDelivered(
    status === undefined ? 'the platform did not answer' : `the platform answered ${status}`,
  );
}

/** Sends the outcomes that do not fit into one callback, with `running`. @returns how many were sent */
async function sendSurplus(parts: Parts, delivery: Delivery, { outcomes }: FinalResult): Promise<number> {
  let { outcomesSent: sent } = delivery;
  while (outcomes.length - sent > limits.outcomes) {
    const some = outcomes.slice(sent, sent + limits.outcomes);
    const status = await callBack(parts, delivery, { status: 'running', outcomes: some });
    // Refused outcomes do not hold up the result.
    if (!isTaken(status) && status !== 422) {
      throw new NotDelivered('the platform did not accept the outcomes');
    }
    sent += some.length;
    await parts.deliveries.recordSent(delivery.id, sent);
  }
  return sent;
}
