import { X509Certificate } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { boundedBody } from '../../../client/bounded-body.ts';

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
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = ({ message }: Error) => {
      const problem = signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : message;
      reject(new Error(`${method} ${JSON.stringify(url)}: ${problem}`));
    };
    const outgoing = send(
      target,
      { method, headers, signal, agent: false, ...(caPem === '' ? {} : { ca: caPem }) },
      (answer) => {
        boundedBody(answer, sizeLimit)
          .then((received) => resolve(responseOf(answer, received)))
          .catch(fail);
      },
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

function responseOf(
  { statusCode: status = 502, headers }: IncomingMessage,
  body: Buffer<ArrayBuffer>,
): Response {
  const { 'content-type': type, date } = headers;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, {
    status,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(date === undefined ? {} : { date }),
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
