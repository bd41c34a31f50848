import type { FinalResult, ReceivedPayload, Result } from '@gatehouse/core/run-task';
import type { Stage } from '@gatehouse/core/values';
import type { Database, DatabaseRow } from '../store/database.ts';
import { grouped, placeholders } from '../store/grouped.ts';
import { recordOf } from '../store/record.ts';

/** The progress of a run task request. The last three are final. */
export const DeliveryStatus = {
  /** Stored, and acknowledged with 200. */
  received: 'received',
  working: 'working',
  /** Its result is stored; the platform may not have it yet. */
  reviewed: 'reviewed',
  /** The platform has the result. */
  delivered: 'delivered',
  /** The platform refuses the result, and may have it from an earlier callback without an answer. */
  unsure: 'unsure',
  /** Its time ran out, or the platform refuses the result. */
  givenUp: 'given_up',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

/** How a delivery ends. */
export type DeliveryEnd =
  | { status: typeof DeliveryStatus.delivered }
  | { status: typeof DeliveryStatus.unsure | typeof DeliveryStatus.givenUp; why: string };

/** The known fields of a type: without the index signature that lets unknown fields through. */
type KnownFields<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
/** A payload without its secret. */
export type StoredPayload = Omit<KnownFields<ReceivedPayload>, 'access_token'>;

export interface Delivery {
  id: string;
  endpoint: string;
  stage: Stage;
  payload: StoredPayload;
  /** Erased once the delivery ends. */
  accessToken: string;
  status: DeliveryStatus;
  /** How often its review was started: a review that crashes its process is not retried forever. */
  reviewsStarted: number;
  result?: FinalResult;
  /** How many of the result's outcomes the platform has. */
  outcomesSent: number;
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** When the platform must have a final status: `IntegratorTiming.finalStatusMs` after `receivedAt`. */
  deadline: number;
}

export interface Reviewed {
  result: FinalResult;
  /** How many of its outcomes, from the first, the platform has. */
  shown?: number;
  digest?: string;
}

/** Milliseconds between statements. Results have minutes, so requests, for which platforms wait, come first. */
const pauseMs = 25;

/** The deliveries in the database. Deliveries at the same point at the same time share a statement. */
export class DeliveryStore {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** A delivery, by its id; undefined once it has ended. */
  readonly read = grouped(async (ids: string[]) => {
    const rows = await this.#database.query(
      'SELECT * FROM deliveries WHERE id = ANY($1::uuid[]) AND ended_at IS NULL',
      [ids],
    );
    const byId = new Map(rows.map((row) => [row['id'], recordOf<Delivery>(row)]));
    return ids.map((id) => byId.get(id));
  }, pauseMs);

  readonly beginReview = grouped(async (ids: string[]) => {
    await this.#database.query(
      `UPDATE deliveries SET status = 'working', reviews_started = reviews_started + 1
       WHERE id = ANY($1::uuid[]) AND status IN ('received', 'working')`,
      [ids],
    );
    return [];
  }, pauseMs);

  /** Stores the result of a review. @returns false if another process stored one first */
  readonly keepResult = grouped(async (all: (Reviewed & { id: string })[]) => {
    const rows = all.map(({ id, result, digest, shown = 0 }) => [
      id,
      JSON.stringify(result),
      digest ?? null,
      shown,
    ]);
    const kept = await this.#database.query(
      `UPDATE deliveries SET status = 'reviewed', result = given.result, plan_digest = given.digest,
         outcomes_sent = given.shown
       FROM (VALUES ${placeholders(rows, ['uuid', 'json', 'text', 'int'])}) AS given (id, result, digest, shown)
       WHERE deliveries.id = given.id AND status IN ('received', 'working') RETURNING deliveries.id`,
      rows.flat(),
    );
    return arePresent(
      kept,
      all.map(({ id }) => id),
    );
  }, pauseMs);

  /** Records a callback before it is sent, so that after a crash we know what may have arrived. @returns its id */
  readonly recordCallback = grouped(async (all: { delivery: string; status: Result['status'] }[]) => {
    const at = new Date(this.#now());
    const rows = all.map(({ delivery, status }) => [delivery, at, status]);
    const added = await this.#database.query(
      `INSERT INTO callbacks (delivery, at, status) VALUES ${placeholders(rows)} RETURNING id, delivery`,
      rows.flat(),
    );
    const ids = new Map(added.map((row) => [row['delivery'], row['id'] as string]));
    return all.map(({ delivery }) => ids.get(delivery) as string);
  }, pauseMs);

  readonly recordAnswer = grouped(async (all: { callback: string; status?: number; problem?: string }[]) => {
    const rows = all.map(({ callback, status, problem }) => [callback, status ?? null, problem ?? null]);
    await this.#database.query(
      `UPDATE callbacks SET http_status = given.status, error = given.problem
       FROM (VALUES ${placeholders(rows, ['bigint', 'int', 'text'])}) AS given (id, status, problem)
       WHERE callbacks.id = given.id`,
      rows.flat(),
    );
    return [];
  }, pauseMs);

  /** Ends a delivery whose platform has the result: its token is no longer needed. @returns whether it had not ended */
  readonly deliver = grouped(async (ids: string[]) => {
    const ended = await this.#database.query(
      `UPDATE deliveries SET status = 'delivered', access_token = NULL, ended_at = $2
       WHERE id = ANY($1::uuid[]) AND status = 'reviewed' RETURNING id`,
      [ids, new Date(this.#now())],
    );
    return arePresent(ended, ids);
  }, pauseMs);

  /** Ends a delivery whose platform may not have the result. @returns whether it had not ended */
  async endUndelivered(
    id: string,
    { status, why }: Exclude<DeliveryEnd, { status: 'delivered' }>,
  ): Promise<boolean> {
    const ended = await this.#database.query(
      `UPDATE deliveries SET status = $2, access_token = NULL, error = $3, ended_at = $4
       WHERE id = $1 AND ended_at IS NULL RETURNING id`,
      [id, status, why, new Date(this.#now())],
    );
    return ended.length > 0;
  }

  async recordSent(id: string, outcomes: number): Promise<void> {
    await this.#database.query('UPDATE deliveries SET outcomes_sent = $2 WHERE id = $1', [id, outcomes]);
  }

  /** The statuses that answered the final results sent so far; null for no answer. */
  async finalAnswers(id: string): Promise<(number | null)[]> {
    const rows = await this.#database.query(
      `SELECT http_status FROM callbacks WHERE delivery = $1 AND status IN ('passed', 'failed')`,
      [id],
    );
    return rows.map((row) => row['http_status'] as number | null);
  }

  /** The digest of a run's plan in the last request at post_plan; undefined if that request has no review. */
  async digestAtPostPlan(endpoint: string, run: string | null): Promise<string | undefined> {
    const [row] = await this.#database.query(
      `SELECT CASE WHEN status IN ('reviewed', 'delivered', 'unsure') THEN plan_digest END AS plan_digest FROM deliveries
       WHERE endpoint = $1 AND run_id = $2 AND stage = 'post_plan'
       ORDER BY received_at DESC LIMIT 1`,
      [endpoint, run],
    );
    return (row?.['plan_digest'] ?? undefined) as string | undefined;
  }
}

/** For each id, whether there is a row with it. */
function arePresent(rows: readonly DatabaseRow[], ids: readonly string[]): boolean[] {
  const present = new Set(rows.map(({ id }) => id));
  return ids.map((id) => present.has(id));
}
