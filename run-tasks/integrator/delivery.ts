import type { Stage } from '../../core/model/values/stage.ts';
import type { ReceivedPayload } from '../../core/run-task/payload.ts';
import type { FinalResult } from '../../core/run-task/result.ts';
import type { Row } from '../store/database.ts';
import { recordOf } from '../store/record.ts';

/** The progress of a run task request. The last two are final. */
export const DeliveryStatus = {
  /** Stored, and acknowledged with 200. */
  received: 'received',
  working: 'working',
  /** Its result is stored; the platform may not have it yet. */
  reviewed: 'reviewed',
  /** The platform has the result. */
  delivered: 'delivered',
  /** Its time ran out, or the platform refuses the result. */
  givenUp: 'given_up',
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

/** Without the index signature that lets unknown fields through. */
type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
/** A payload without its secret. */
export type StoredPayload = Omit<Known<ReceivedPayload>, 'access_token'>;

export interface Delivery {
  id: string;
  endpoint: string;
  stage: Stage;
  payload: StoredPayload;
  /** Erased once the delivery ends. */
  accessToken: string;
  status: DeliveryStatus;
  /** How often its review was started: a review that crashes its process is not retried forever. */
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
