import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Names of the header that carries the signature: the one in docs/inside/specification.md A-1, then that of real
 * platforms.
 */
export const signatureHeaders = ['X-Platform-Task-Signature', 'X-TFC-Task-Signature'] as const;

/**
 * HMAC-SHA512 over the request's raw bytes, in lower-case hex; empty without a key (docs/inside/specification.md A-1).
 */
export function sign(body: Uint8Array, key: string | undefined): string {
  return key === undefined ? '' : createHmac('sha512', key).update(body).digest('hex');
}

/**
 * Whether one of the keys signed the body. Several keys can be good at once, so that one can be rotated; all of them
 * are tried, in the same time whichever it was.
 *
 * @param keys none: whatever stands in the header is accepted
 */
export function isSigned(body: Uint8Array, signature: string | undefined, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  if (signature === undefined || !/^[0-9a-f]{128}$/.test(signature)) return false;
  const digest = Buffer.from(signature, 'hex');
  return keys
    .map((key) => timingSafeEqual(digest, createHmac('sha512', key).update(body).digest()))
    .includes(true);
}
