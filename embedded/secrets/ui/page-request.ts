import type { HttpRequest } from '../protocol/read-request.ts';
import { Refusal } from '../protocol/refusal.ts';

/** What a browser asks of the pages. */
export interface PageRequest {
  method: 'GET' | 'POST';
  /** Below `/ui/`, decoded, without slashes at its ends; empty for the first page. */
  path: string;
  query: URLSearchParams;
  /** The fields that a form posts; empty for GET. */
  form: URLSearchParams;
  /** The `Cookie` header; empty for none. */
  cookies: string;
  /** Where the browser finds the service, for example `https://secrets.example.com:8200`. */
  origin: string;
  remoteAddress: string;
}

/** Bytes that a form may have: a JWT of 8 KB, a message, and room. */
const largestForm = 256 * 1024;

/**
 * Reads what a browser sent.
 *
 * @throws {Refusal} 400, 405, 413, 415
 */
export function readPageRequest(given: HttpRequest, secure: boolean): PageRequest {
  const { method, url, headers, body, remoteAddress } = given;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw new Refusal(405);
  const mark = url.indexOf('?');
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path: readPath(mark === -1 ? url : url.slice(0, mark)),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark)),
    form: method === 'POST' ? readForm(body, headers['content-type']) : new URLSearchParams(),
    cookies: headers.cookie ?? '',
    origin: readOrigin(headers, secure),
    remoteAddress,
  };
}

function readPath(path: string): string {
  try {
    return decodeURIComponent(path)
      .replace(/^\/ui\/?/, '')
      .replace(/\/+$/, '');
  } catch {
    throw new Refusal(400, 'path is not well encoded');
  }
}

function readForm(body: Buffer | undefined, type = ''): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) throw new Refusal(415);
  if (body !== undefined && body.length > largestForm) throw new Refusal(413);
  return new URLSearchParams(body?.toString('utf8') ?? '');
}

/** What the browser says of itself comes first: behind a proxy it alone knows the outer address. */
function readOrigin({ origin, host = '' }: HttpRequest['headers'], secure: boolean): string {
  const said = /^https?:\/\//.test(origin ?? '') ? URL.parse(origin ?? '') : null;
  const url = said ?? URL.parse(`${secure ? 'https' : 'http'}://${host}`);
  if (url === null) throw new Refusal(400, 'the request names no host');
  return url.origin;
}
