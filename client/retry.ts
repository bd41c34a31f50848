import { setTimeout as sleep } from 'node:timers/promises';

/** How one attempt ended, as far as trying again goes. */
export interface Attempt {
  /** HTTP status, when there was an answer. */
  status?: number;
  /** `Retry-After` in seconds, when the answer named it. */
  retryAfterSeconds?: number;
  /** Code of the socket's error, when there was none. */
  errorCode?: string;
  /** Whether sending the request a second time does no more than sending it once. */
  idempotent: boolean;
}

/** The service said no before it did anything: sending it again is safe whatever the request. */
const refusedUnread = new Set([412, 429]);
/** The service, or what stands before it, may have done something. */
const maybeDone = new Set([502, 503, 504]);
const neverSent = new Set(['ECONNREFUSED', 'EAI_AGAIN']);
const maybeSent = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Whether another attempt may fix it without doing anything twice. */
export function isWorthRetrying({ status, errorCode, idempotent }: Attempt): boolean {
  if (status !== undefined) return refusedUnread.has(status) || (idempotent && maybeDone.has(status));
  if (errorCode === undefined) return false;
  return neverSent.has(errorCode) || (idempotent && maybeSent.has(errorCode));
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/**
 * Milliseconds to wait before attempt `retry` (1 is the first repetition): what the service asked for, at
 * most 10 s; else a random part of a pause that doubles, so that clients turned away together come back apart.
 */
export function pauseBefore(retry: number, retryAfterSeconds?: number, random = Math.random()): number {
  if (retryAfterSeconds !== undefined) return Math.min(retryAfterSeconds * 1000, longestPauseMs);
  return Math.min(firstPauseMs * 2 ** (retry - 1), longestPauseMs) * (0.5 + random / 2);
}

export async function pause(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}
