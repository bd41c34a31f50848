import type { Delivery } from './delivery.ts';
import type { Parts } from './parts.ts';
import { reviewDelivery } from './review-delivery.ts';
import { sendResult } from './send-result.ts';

/**
 * Takes one run task request from wherever it is to its end: steps 5 to 9.
 *
 * @throws what makes the queue try again: `PlanNotReady`, `NotDelivered`, a lost database, a stop
 */
export async function runDeliveryJob(parts: Parts, { delivery: id }: { delivery: string }): Promise<void> {
  const { deliveries, now } = parts;
  const delivery = await deliveries.read(id);
  if (delivery === undefined) return;
  if (delivery.result !== undefined) {
    if (now() >= delivery.deadline) {
      return await giveUp(parts, delivery, 'The platform did not accept the result in time.');
    }
    const refusal = await sendResult(parts, delivery, delivery.result, await deliveries.finalAnswers(id));
    return await end(parts, delivery, refusal);
  }
  if (now() >= delivery.deadline) return await giveUp(parts, delivery, 'It was not reviewed in time.');
  const reviewed = await parts.reviewing(() => reviewDelivery(parts, delivery));
  // 7. From here on, the result stands, and is only sent.
  if (!(await deliveries.keepResult({ id, ...reviewed }))) return;
  const { result, shown = 0 } = reviewed;
  parts.log.info({ delivery: id, stage: delivery.stage, status: result.status }, 'a run task was reviewed');
  return await end(
    parts,
    delivery,
    await sendResult(parts, { ...delivery, outcomesSent: shown }, result, []),
  );
}

/** @param refusal why the platform will never take the result; undefined if it has it */
async function end(parts: Parts, delivery: Delivery, refusal: string | undefined): Promise<void> {
  if (refusal !== undefined) return await giveUp(parts, delivery, refusal);
  // 9.
  if (await parts.deliveries.deliver(delivery.id)) parts.onEnd('delivered');
}

/** Ends a delivery whose time ran out, or whose platform refuses the result. */
async function giveUp(
  { deliveries, log, onEnd }: Parts,
  { id, stage }: Delivery,
  why: string,
): Promise<void> {
  if (!(await deliveries.giveUp(id, why))) return;
  log.warn({ delivery: id, stage }, why);
  onEnd('given_up');
}
