import type { Outcome } from '../../core/run-task/outcome.ts';
import type { ReceivedPayload } from '../../core/run-task/payload.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { Row, Sql } from '../store/database.ts';

/** How far a run task request has come. The last two are ends. */
export const DeliveryStatus = {
  /** Stored; acknowledged with 200. */
  received: 'received',
  /** Its review has begun. */
  working: 'working',
  /** It has a result, which the platform may not have yet. */
  reviewed: 'reviewed',
  /** The platform has the result. */
  delivered: 'delivered',
  /** Its time was over, or the platform does not take the result. */
  givenUp: 'given_up',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
/** A payload without its secret. */
export type StoredPayload = Omit<Known<ReceivedPayload>, 'access_token'>;

/** The last word on a task. Outcomes that the platform has already are not among its own. */
export interface FinalResult {
  status: 'passed' | 'failed';
  message: string;
  url?: string;
  outcomes: Outcome[];
}

/** A run task request, and what became of it. */
export interface Delivery {
  id: string;
  endpoint: string;
  stage: Stage;
  payload: StoredPayload;
  /** Erased at the end. */
  accessToken: string;
  status: DeliveryStatus;
  /** How often its review was begun: one that ends the process each time is not begun for ever. */
  reviewsBegun: number;
  result: FinalResult | undefined;
  /** How many of the result's outcomes the platform has. */
  outcomesSent: number;
  /** Milliseconds since 1970. */
  receivedAt: number;
  /** When a final status must be there; milliseconds since 1970. */
  deadline: number;
}

export function deliveryOf(row: Row): Delivery {
  return {
    id: row['id'] as string,
    endpoint: row['endpoint'] as string,
    stage: row['stage'] as Stage,
    payload: row['payload'] as StoredPayload,
    accessToken: (row['access_token'] as string | null) ?? '',
    status: row['status'] as DeliveryStatus,
    reviewsBegun: row['reviews_begun'] as number,
    result: (row['result'] as FinalResult | null) ?? undefined,
    outcomesSent: row['outcomes_sent'] as number,
    receivedAt: (row['received_at'] as Date).getTime(),
    deadline: (row['deadline'] as Date).getTime(),
  };
}

/** Ends a delivery that has no time left, or no hope. */
export async function giveUp(sql: Sql, { id }: Delivery, why: string, now: number): Promise<void> {
  await sql.query(
    `UPDATE deliveries SET status = 'given_up', access_token = NULL, error = $2, ended_at = $3
     WHERE id = $1 AND ended_at IS NULL`,
    [id, why, new Date(now)],
  );
}
