import { X509Certificate } from 'node:crypto';
import { exchange } from '../../../client/exchange.ts';

/** Milliseconds that an issuer may take for a whole answer. */
const timeoutMs = 10_000;

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
    const signal = AbortSignal.timeout(timeoutMs);
    const { status, headers, body } = await exchange(url, { ...options, signal });
    const isEmpty = status === 204 || status === 205 || status === 304;
    const type = headers['content-type'];
    return new Response(isEmpty ? null : body, {
      status,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
    });
  } catch (cause) {
    throw new Error(`${method} ${JSON.stringify(url)}: ${(cause as Error).message}`);
  }
}

/** Whether a text holds certificates to trust. */
export function isCaPem(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
