import { GatehouseError, isObject } from '@gatehouse/core/values';

/** The parts of a request that an error may show: not headers or body, which contain secrets. */
export interface RequestSummary {
  method: string;
  /** Without `/v1/`. */
  path: string;
  /** Scheme, host and port. */
  address: string;
}

/** The trimmed texts of a body's `errors`, if any. */
export function errorTexts(body: unknown): string[] {
  const errors = isObject(body) ? body['errors'] : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((text) => (typeof text === 'string' && text.trim()) || []);
}

/** The error for a response with a status of 300 or more. */
export function refusal(request: RequestSummary, status: number, body: unknown): GatehouseError {
  const texts = errorTexts(body);
  const reason = texts.length > 0 ? texts.join('; ') : `HTTP ${status}`;
  const call = `${request.method} ${request.path}`;
  if (isSealed(status, body)) {
    return new GatehouseError('service_sealed.at', { values: { address: request.address } });
  }
  if (status >= 300 && status < 400) {
    return new GatehouseError('service_redirects', { values: { address: request.address, call } });
  }
  if (status === 403) {
    return new GatehouseError('permission_denied', { values: { call, reason, path: request.path } });
  }
  if (status === 404) {
    return new GatehouseError('not_found', { values: { call, reason } });
  }
  const [, text = 'service_refused'] = known.find(([pattern]) => pattern.test(reason)) ?? [];
  return new GatehouseError(text, { values: { call, status, reason } });
}

/** Refusals that say how to go on. */
const known = [
  [/oidc discovery URL: .*\b(401 |403 |answers 40[13])/, 'service_refused.discovery'],
  [/restricted use token cannot generate child tokens/, 'service_refused.uses'],
] as const;

/** Whether the service is sealed. A retry does not help until a person unseals it. */
export function isSealed(status: number, body: unknown): boolean {
  return status === 503 && errorTexts(body).some((text) => /\bsealed\b/i.test(text));
}

/** The error for a request without a response. */
export function unreachable(request: RequestSummary, cause: NodeJS.ErrnoException): GatehouseError {
  return new GatehouseError('service_unreachable', {
    cause,
    values: { address: request.address, reason: cause.code ?? cause.message },
  });
}

/** The result of an attempt. */
export interface RequestAttempt {
  /** HTTP status, if there was a response. */
  status?: number;
  /** Code of the socket's error, if there was none. */
  errorCode?: string;
  idempotent: boolean;
}

/** The service refused before doing anything, so that any request can be retried. */
const refusedUnread = new Set([412, 429]);
/** The service, or a gateway in front of it, may have executed the request. */
const maybeDone = new Set([502, 503, 504]);
const neverSent = new Set(['ECONNREFUSED', 'EAI_AGAIN']);
const maybeSent = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Whether a retry may succeed and cannot execute anything twice. */
export function isWorthRetrying({ status, errorCode = '', idempotent }: RequestAttempt): boolean {
  if (status !== undefined) return refusedUnread.has(status) || (idempotent && maybeDone.has(status));
  return neverSent.has(errorCode) || (idempotent && maybeSent.has(errorCode));
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/**
 * Milliseconds to wait before a retry (the first is 1): what the service asked for, at most 10 s; otherwise
 * exponential, with jitter.
 */
export function pauseBefore(retry: number, retryAfterSeconds?: number, random = Math.random()): number {
  if (retryAfterSeconds !== undefined) return Math.min(retryAfterSeconds * 1000, longestPauseMs);
  return Math.min(firstPauseMs * 2 ** (retry - 1), longestPauseMs) * (0.5 + random / 2);
}
