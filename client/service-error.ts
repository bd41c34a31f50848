import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseError } from '../core/model/values/errors.ts';

/** A request as an error may show it: never its headers or body, which hold the token and secrets. */
export interface RequestSummary {
  method: string;
  /** Without `/v1/`. */
  path: string;
  /** Scheme, host and port. */
  address: string;
}

/** The error texts of an answer's body (`{"errors": [...]}`), trimmed; empty when it has none. */
export function errorTexts(body: unknown): string[] {
  const errors = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined;
  if (!Array.isArray(errors)) return [];
  return errors
    .filter((text) => typeof text === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** What a refused request (status 300 and over) means to whoever sent it. */
export function refusal(request: RequestSummary, status: number, body: unknown): GatehouseError {
  const texts = errorTexts(body);
  const said = texts.length > 0 ? texts.join('; ') : `HTTP ${status}`;
  const call = `${request.method} ${request.path}`;
  if (isSealed(status, body)) {
    return new GatehouseError({
      code: 'service_sealed',
      what: `The secrets service at ${request.address} is sealed.`,
      fix: 'Unseal it, then run the command again.',
    });
  }
  if (status >= 300 && status < 400) {
    return new GatehouseError({
      code: 'service_redirects',
      what: `The secrets service at ${request.address} redirects ${call} to another server.`,
      fix: 'Use the address of the active server. The token is never sent to any other server.',
    });
  }
  if (status === 403) {
    return new GatehouseError({
      code: 'permission_denied',
      what: `The secrets service does not allow ${call}: ${said}.`,
      fix: `Give the token a policy that allows it on "${request.path}", or use another token.`,
    });
  }
  if (status === 404) {
    return new GatehouseError({ code: 'not_found', what: `Not found: ${call}: ${said}.` });
  }
  return new GatehouseError({
    code: 'service_refused',
    what: `The secrets service refused ${call} (HTTP ${status}): ${said}`,
  });
}

/** True for the answer of a sealed service: trying again will not help until somebody unseals it. */
export function isSealed(status: number, body: unknown): boolean {
  return status === 503 && errorTexts(body).some((text) => /\bsealed\b/i.test(text));
}

/** A request that got no answer. */
export function unreachable(request: RequestSummary, cause: NodeJS.ErrnoException): GatehouseError {
  return new GatehouseError({
    code: 'service_unreachable',
    what: `The secrets service at ${request.address} cannot be reached (${cause.code ?? cause.message}).`,
    fix: 'Check the address, the certificate, and that the service is running.',
    cause,
  });
}

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
