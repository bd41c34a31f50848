import type { Outcome } from '../../core/run-task/outcome.ts';
import type { ReceivedPayload } from '../../core/run-task/payload.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { Row } from '../store/database.ts';
import { recordOf } from '../store/record.ts';
import type { Parts } from './parts.ts';

/** The progress of a run task request. The last two are final. */
export const DeliveryStatus = {
  /** Stored; acknowledged with 200. */
  received: 'received',
  /** Its review has started. */
  working: 'working',
  /** It has a result, which the platform may not have yet. */
  reviewed: 'reviewed',
  /** The platform has the result. */
  delivered: 'delivered',
  /** Its time was over, or the platform refuses the result. */
  givenUp: 'given_up',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
/** A payload without its secret. */
export type StoredPayload = Omit<Known<ReceivedPayload>, 'access_token'>;

/** The final result of a task, without the outcomes that the platform already has. */
export interface FinalResult {
  status: 'passed' | 'failed';
  message: string;
  url?: string;
  outcomes: Outcome[];
}

/** A run task request, and its progress. */
export interface Delivery {
  id: string;
  endpoint: string;
  stage: Stage;
  payload: StoredPayload;
  /** Erased at the end. */
  accessToken: string;
  status: DeliveryStatus;
  /** How often its review was started: one that ends its process each time is not started again forever. */
  reviewsBegun: number;
  result?: FinalResult;
  /** How many of the result's outcomes the platform has. */
  outcomesSent: number;
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** When the platform must have a final status; milliseconds since 1970. */
  deadline: number;
}

export function deliveryOf(row: Row): Delivery {
  return { accessToken: '', ...recordOf<Partial<Delivery>>(row) } as Delivery;
}

/** Ends a delivery that has no time left, or that its platform refuses. */
export async function giveUp(
  { database, now, log, onEnd }: Parts,
  { id, stage }: Delivery,
  why: string,
): Promise<void> {
  const ended = await database.query(
    `UPDATE deliveries SET status = 'given_up', access_token = NULL, error = $2, ended_at = $3
     WHERE id = $1 AND ended_at IS NULL RETURNING id`,
    [id, why, new Date(now())],
  );
  if (ended.length === 0) return;
  log.warn({ delivery: id, stage }, why);
  onEnd('given_up');
}
