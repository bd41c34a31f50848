import { limits } from '../../core/run-task/limits.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import { type Delivery, deliveryOf, type FinalResult, giveUp } from './delivery.ts';
import type { Parts } from './parts.ts';
import { callBack, earlierFinals, isTaken } from './platform-client.ts';

/** The platform does not have the result yet: it is sent again later. */
class NotDelivered extends Error {}

/**
 * Sends one stored result to its platform: steps 8 and 9.
 *
 * @throws NotDelivered, which makes the queue try again
 */
export async function runCallbackJob(parts: Parts, { delivery: id }: { delivery: string }): Promise<void> {
  const { database, now, onEnd, pageOf } = parts;
  const [row] = await database.query(`SELECT * FROM deliveries WHERE id = $1 AND status = 'reviewed'`, [id]);
  if (row === undefined) return;
  const delivery = deliveryOf(row);
  const { result } = delivery;
  if (result === undefined) return;
  if (now() >= delivery.deadline) {
    return await giveUp(parts, delivery, 'The platform did not accept the result in time.');
  }
  const sent = acceptsOutcomes(delivery.payload) ? await sendSurplus(parts, delivery, result) : 0;
  // 8. The final result.
  const { mayHaveArrived, wasRefused } = await earlierFinals(parts, delivery);
  const outcomes = wasRefused ? [] : result.outcomes.slice(sent);
  const status = await callBack(parts, delivery, { url: pageOf?.(id), ...result, outcomes });
  // A 422 may only mean that the final status had already arrived.
  if (isTaken(status) || (status === 422 && mayHaveArrived)) {
    // 9. Delivered: the token is no longer needed.
    await database.query(
      `UPDATE deliveries SET status = 'delivered', access_token = NULL, ended_at = $2
       WHERE id = $1 AND status = 'reviewed'`,
      [id, new Date(now())],
    );
    return onEnd('delivered');
  }
  if (status === 422 && wasRefused) {
    return await giveUp(parts, delivery, 'The platform refuses the result, even without its outcomes.');
  }
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
    const update = 'UPDATE deliveries SET outcomes_sent = $2 WHERE id = $1';
    await parts.database.query(update, [delivery.id, sent]);
  }
  return sent;
}
