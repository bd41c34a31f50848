import { X509Certificate } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

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
export function issuerFetch(url: string, options: IssuerFetchOptions): Promise<Response> {
  const { method = 'GET', headers = {}, body, caPem } = options;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    return Promise.reject(new Error(`${JSON.stringify(url)} is no http or https URL`));
  }
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => reject(new Error(`${method} ${JSON.stringify(url)}: ${problem}`));
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = send(
      target,
      { method, headers, signal, agent: false, ...(caPem === '' ? {} : { ca: caPem }) },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= sizeLimit) return;
          fail(`the answer is longer than ${sizeLimit} bytes`);
          answer.destroy();
        });
        answer.on('error', ({ message }) => fail(message));
        answer.on('end', () => {
          const status = answer.statusCode ?? 502;
          const { 'content-type': type, date } = answer.headers;
          const empty = status === 204 || status === 205 || status === 304;
          resolve(
            new Response(empty ? null : Buffer.concat(chunks), {
              status,
              headers: {
                ...(type === undefined ? {} : { 'content-type': type }),
                ...(date === undefined ? {} : { date }),
              },
            }),
          );
        });
      },
    );
    outgoing.on('error', ({ message }) =>
      fail(signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : message),
    );
    outgoing.end(body);
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
