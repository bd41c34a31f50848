import { X509Certificate } from 'node:crypto';
import { type Answer, exchange } from '../../../client/exchange.ts';

/** Milliseconds that an issuer may take for a whole answer. */
const timeoutMs = 10_000;
/** Bytes that an issuer's answer may have. */
const sizeLimit = 1024 * 1024;

export interface IssuerFetchOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** PEM certificates to trust instead of the system's; empty for the system's. */
  caPem: string;
}

/**
 * Fetches something from an issuer, with bounds on time and size. Redirects are not followed: an issuer's addresses
 * are those that it publishes.
 *
 * @throws Error with a message for the one who configured the issuer; it holds the URL, and nothing that was sent.
 */
export async function issuerFetch(url: string, options: IssuerFetchOptions): Promise<Response> {
  const { method = 'GET' } = options;
  try {
    const answer = await exchange(url, {
      ...options,
      maxBytes: sizeLimit,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return responseOf(answer);
  } catch (cause) {
    throw new Error(`${method} ${JSON.stringify(url)}: ${(cause as Error).message}`);
  }
}

function responseOf({ status, headers, body }: Answer): Response {
  const { 'content-type': type, date } = headers;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, {
    status,
    headers: {
      ...(typeof type === 'string' ? { 'content-type': type } : {}),
      ...(typeof date === 'string' ? { date } : {}),
    },
  });
}

/** Whether a text holds certificates to trust. */
export function isCaPem(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
