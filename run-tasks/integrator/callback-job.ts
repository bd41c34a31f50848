import { limits } from '../../core/run-task/limits.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import { type Delivery, deliveryOf, type FinalResult, giveUp } from './delivery.ts';
import type { Parts } from './parts.ts';
import { isTaken, type PlatformClient } from './platform-client.ts';

/** The platform does not have the result yet: it is sent again later. */
class NotDelivered extends Error {}

/** Sends one stored result to its platform: steps 8 and 9. */
export class CallbackJob {
  readonly #parts: Parts;
  readonly #client: PlatformClient;

  constructor(parts: Parts, client: PlatformClient) {
    this.#parts = parts;
    this.#client = client;
  }

  /** @throws NotDelivered, which makes the queue try again */
  async run({ delivery: id }: { delivery: string }): Promise<void> {
    const { database, now } = this.#parts;
    const [row] = await database.query(`SELECT * FROM deliveries WHERE id = $1 AND status = 'reviewed'`, [
      id,
    ]);
    if (row === undefined) return;
    const delivery = deliveryOf(row);
    const { result } = delivery;
    if (result === undefined) return;
    if (now() >= delivery.deadline) {
      return await giveUp(this.#parts, delivery, 'The platform did not accept the result in time.');
    }
    const sent = acceptsOutcomes(delivery.payload) ? await this.#sendSurplus(delivery, result) : 0;
    // 8. The final result.
    const { mayHaveArrived, wasRefused } = await this.#client.earlierFinals(delivery);
    const outcomes = wasRefused ? [] : result.outcomes.slice(sent);
    const status = await this.#client.callBack(delivery, { ...result, outcomes });
    // A final status that is refused as a repetition was accepted the first time.
    if (isTaken(status) || (status === 422 && mayHaveArrived)) return this.#delivered(delivery);
    if (status === 422 && wasRefused) {
      return await giveUp(
        this.#parts,
        delivery,
        'The platform refuses the result, even without its outcomes.',
      );
    }
    throw new NotDelivered(
      status === undefined ? 'the platform did not answer' : `the platform answered ${status}`,
    );
  }

  /** Sends the outcomes that one callback cannot hold, with `running`. @returns how many were sent */
  async #sendSurplus(delivery: Delivery, { outcomes }: FinalResult): Promise<number> {
    let { outcomesSent: sent } = delivery;
    while (outcomes.length - sent > limits.outcomes) {
      const some = outcomes.slice(sent, sent + limits.outcomes);
      const status = await this.#client.callBack(delivery, { status: 'running', outcomes: some });
      // Refused outcomes do not hold up the result.
      if (!isTaken(status) && status !== 422)
        throw new NotDelivered('the platform did not accept the outcomes');
      sent += some.length;
      await this.#parts.database.query('UPDATE deliveries SET outcomes_sent = $2 WHERE id = $1', [
        delivery.id,
        sent,
      ]);
    }
    return sent;
  }

  async #delivered({ id }: Delivery): Promise<void> {
    const { database, now, onEnd } = this.#parts;
    // 9. Delivered: the token is no longer needed.
    await database.query(
      `UPDATE deliveries SET status = 'delivered', access_token = NULL, ended_at = $2
       WHERE id = $1 AND status = 'reviewed'`,
      [id, new Date(now())],
    );
    onEnd('delivered');
  }
}
