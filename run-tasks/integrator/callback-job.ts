import { limits } from '../../core/run-task/limits.ts';
import { acceptsOutcomes } from '../../core/run-task/payload.ts';
import type { Log } from '../log.ts';
import type { Database } from '../store/database.ts';
import { type Delivery, deliveryOf, type FinalResult, giveUp } from './delivery.ts';
import { isTaken, type PlatformClient } from './platform-client.ts';

/** The platform does not have the result yet: it is sent again, later. */
export class NotDelivered extends Error {}

export interface CallbackJobArgs {
  database: Database;
  client: PlatformClient;
  now: () => number;
  log: Log;
  /** Told of each delivery that ends. */
  onEnd: (status: 'delivered' | 'given_up') => void;
}

/** Brings one stored result to its platform: steps 8 and 9. */
export class CallbackJob {
  readonly #args: CallbackJobArgs;

  constructor(args: CallbackJobArgs) {
    this.#args = args;
  }

  /** @throws NotDelivered, which makes the queue try again */
  async run({ delivery: id }: { delivery: string }): Promise<void> {
    const { database, now } = this.#args;
    const [row] = await database.query(`SELECT * FROM deliveries WHERE id = $1 AND status = 'reviewed'`, [
      id,
    ]);
    if (row === undefined) return;
    const delivery = deliveryOf(row);
    const { result } = delivery;
    if (result === undefined) return;
    if (now() >= delivery.deadline) {
      return this.#giveUp(delivery, 'The platform did not take the result in time.');
    }
    const sent = acceptsOutcomes(delivery.payload) ? await this.#sendSurplus(delivery, result) : 0;
    // 8. The last word.
    const { mayHaveArrived, wasRefused } = await this.#args.client.earlierFinals(delivery);
    const outcomes = wasRefused ? [] : result.outcomes.slice(sent);
    const status = await this.#args.client.callBack(delivery, { ...result, outcomes });
    // A final status that is refused as a repetition was taken the first time.
    if (isTaken(status) || (status === 422 && mayHaveArrived)) return this.#delivered(delivery);
    if (status === 422 && wasRefused) {
      return this.#giveUp(delivery, 'The platform refuses the result, without its outcomes too.');
    }
    throw new NotDelivered(
      status === undefined ? 'the platform did not answer' : `the platform answered ${status}`,
    );
  }

  /** Of more outcomes than one callback may hold, all but the last go with `running`. @returns how many went */
  async #sendSurplus(delivery: Delivery, { outcomes }: FinalResult): Promise<number> {
    let { outcomesSent: sent } = delivery;
    while (outcomes.length - sent > limits.outcomes) {
      const some = outcomes.slice(sent, sent + limits.outcomes);
      const status = await this.#args.client.callBack(delivery, { status: 'running', outcomes: some });
      // Refused outcomes do not keep the result back.
      if (!isTaken(status) && status !== 422)
        throw new NotDelivered('the platform did not take the outcomes');
      sent += some.length;
      await this.#args.database.query('UPDATE deliveries SET outcomes_sent = $2 WHERE id = $1', [
        delivery.id,
        sent,
      ]);
    }
    return sent;
  }

  async #delivered({ id }: Delivery): Promise<void> {
    const { database, now, onEnd } = this.#args;
    // 9. Delivered: the token is not needed any more.
    await database.query(
      `UPDATE deliveries SET status = 'delivered', access_token = NULL, ended_at = $2
       WHERE id = $1 AND status = 'reviewed'`,
      [id, new Date(now())],
    );
    onEnd('delivered');
  }

  async #giveUp(delivery: Delivery, why: string): Promise<void> {
    const { database, now, log, onEnd } = this.#args;
    await giveUp(database, delivery, why, now());
    log.warn({ delivery: delivery.id, stage: delivery.stage }, why);
    onEnd('given_up');
  }
}
