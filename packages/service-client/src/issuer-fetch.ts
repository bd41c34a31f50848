import { exchange } from './exchange.ts';

/** Milliseconds for a complete response. */
const timeoutMs = 10_000;

interface IssuerFetchOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** PEM certificates; empty, the default, for the system's. */
  caPem?: string;
}

/**
 * Fetches from an issuer, with limits on time and size. Redirects are not followed.
 *
 * @throws Error whose message holds the URL, and nothing that was sent
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
