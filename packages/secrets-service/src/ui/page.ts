import type { ProviderKind } from '@gatehouse/core/graph';
import { type Content, html, type PageAnswer, readForm, Site, type Visit } from '@gatehouse/host';
import { decoded, type HttpRequest, splitUrl } from '../protocol/read-request.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import type { Ask, PageCaller } from './ask.ts';

export const root = '/ui/';
export const reachPath = '/ui/reach';

export const site = new Site({
  name: 'Secrets service',
  home: root,
  navigation: [
    { href: root, text: 'You' },
    { href: reachPath, text: 'Access' },
  ],
});

export interface PageRequest {
  method: 'GET' | 'POST';
  /** Below `/ui/`, decoded, without slashes at its ends; empty for the first page. */
  path: string;
  query: URLSearchParams;
  /** Empty for GET. */
  form: URLSearchParams;
  /** The `Cookie` header; empty for none. */
  cookies: string;
  /** The service's origin as the browser sees it, for example `https://secrets.example.com:8200`. */
  origin: string;
  remoteAddress: string;
}

export interface UiVisit extends Visit<Required<PageCaller>> {
  request: PageRequest;
  /** Nanoseconds since 1970. */
  now: bigint;
  askAs(caller: PageCaller): Ask;
  /** Kinds of the providers of a namespace that exists, by the path of their method. */
  kindsIn(namespace: string): Map<string, ProviderKind>;
  /** Names of the groups of an entity: people may see their own, whatever their policies let them read. */
  groupsOf(namespace: string, entityId: string): string[];
}

export interface SignedInVisit extends UiVisit {
  person: Required<PageCaller>;
  /** The session's, for the page header; empty for the root namespace. */
  namespace: string;
  /** Asks with the session's token and namespace. */
  ask: Ask;
}

type PageHandler<Of extends UiVisit> = (
  visit: Of,
  parameters: Readonly<Record<string, string>>,
) => Promise<PageAnswer> | PageAnswer;

export interface Page<Of extends UiVisit> {
  /** Matches the path below `/ui/`; named groups are the parameters. */
  pattern: RegExp;
  get?: PageHandler<Of>;
  post?: PageHandler<Of>;
}

export function namespaceText(namespace: string): Content {
  return html`<span class="id">${namespace}</span>`;
}

/** Bytes: a JWT of 64 KiB, with room to spare. */
const largestForm = 256 * 1024;

/** @throws {RequestRefusal} 400, 405, 413, 415 */
export function readPageRequest(request: HttpRequest, secure: boolean): PageRequest {
  const { method, url, headers, body, remoteAddress } = request;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw new RequestRefusal(405);
  const { path, query } = splitUrl(url);
  const form = method === 'POST' ? readForm(body, headers['content-type']) : new URLSearchParams();
  if (form === undefined) throw new RequestRefusal(415);
  if (body !== undefined && body.length > largestForm) throw new RequestRefusal(413);
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path: decoded(path)
      .replace(/^\/ui\/?/, '')
      .replace(/\/+$/, ''),
    query,
    form,
    cookies: headers.cookie ?? '',
    origin: readOrigin(headers, secure),
    remoteAddress,
  };
}

/** Prefers the `Origin` header: behind a proxy only the browser knows the outer address. */
function readOrigin({ origin, host = '' }: HttpRequest['headers'], secure: boolean): string {
  const claimed = /^https?:\/\//.test(origin ?? '') ? URL.parse(origin ?? '') : null;
  const url = claimed ?? URL.parse(`${secure ? 'https' : 'http'}://${host}`);
  if (url === null) throw new RequestRefusal(400, 'the request names no host');
  return url.origin;
}
