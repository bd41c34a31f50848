import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isUnwieldyJson, names, unprintable } from '@gatehouse/core/values';
import type { Json } from '../storage/storage.ts';
import type { Operation, SecretsRequest } from './path.ts';
import { RequestRefusal } from './refusal.ts';

/** Most levels of a JSON body. */
const deepest = 64;

export interface HttpRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer | undefined;
  remoteAddress: string;
}

/**
 * Reads a request, once for authorization and routing.
 *
 * @throws {RequestRefusal} 400, 404, 405
 */
export function readRequest({ method, url, headers, body, remoteAddress }: HttpRequest): SecretsRequest {
  const { path: pathname, query: search } = splitUrl(url);
  const path = readPath(pathname);
  const query = Object.fromEntries(search);
  const operation = operationOf(method, query);
  if (header(headers, ['X-Vault-Wrap-TTL']) !== undefined) {
    throw new RequestRefusal(400, 'response wrapping is not supported by this service');
  }
  return {
    operation,
    path,
    isFolder: pathname.endsWith('/'),
    namespace: readNamespace(header(headers, spellings('namespaceHeader')) ?? ''),
    token: readToken(headers),
    body: operation === 'update' ? readBody(body, path, headers['content-type']) : {},
    query,
    remoteAddress,
    id: randomUUID(),
  };
}

export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const [path = '', ...query] = url.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

function operationOf(method: string, query: Record<string, string>): Operation {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return /^(1|t|true)$/i.test(query['list'] ?? '') ? 'list' : 'read';
    case 'POST':
    case 'PUT':
      return 'update';
    case 'DELETE':
      return 'delete';
    case 'LIST':
      return 'list';
    default:
      throw new RequestRefusal(405);
  }
}

function readPath(pathname: string): string {
  if (!pathname.startsWith('/v1/')) throw new RequestRefusal(404);
  return tidyPath(decoded(pathname.slice('/v1/'.length)));
}

function readNamespace(namespace: string): string {
  return tidyPath(namespace === 'root' || namespace === 'root/' ? '' : namespace);
}

function tidyPath(text: string): string {
  const parts = text.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..')) {
    throw new RequestRefusal(400, 'relative paths not supported');
  }
  if (unprintable(text) !== undefined) throw new RequestRefusal(400, 'path contains unprintable characters');
  return parts.join('/');
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RequestRefusal(400, 'path is not validly encoded');
  }
}

function readToken(headers: IncomingHttpHeaders): string | undefined {
  const own = header(headers, spellings('tokenHeader'));
  if (own !== undefined) return own;
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

/** A header's name in either dialect. */
function spellings(name: 'tokenHeader' | 'namespaceHeader'): string[] {
  return [names.vault[name], names.neutral[name]];
}

function header(headers: IncomingHttpHeaders, headerNames: readonly string[]): string | undefined {
  const text = headerNames
    .map((name) => headers[name.toLowerCase()])
    .find((value) => typeof value === 'string');
  return text === undefined || text === '' ? undefined : String(text);
}

function readBody(body: Buffer | undefined, path: string, type = ''): SecretsRequest['body'] {
  if (body === undefined || body.length === 0) return {};
  // A provider's form_post. All other bodies must be JSON.
  if (path.endsWith('/oidc/callback') && /^application\/x-www-form-urlencoded\b/i.test(type)) {
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  }
  const json = parseJson(body);
  if (json === null) return {};
  if (typeof json !== 'object' || Array.isArray(json)) throw notJson('the body is not an object');
  return json;
}

function parseJson(body: Buffer): Json {
  const text = body.toString('utf8');
  if (isUnwieldyJson(text, { deepest, most: Infinity })) throw notJson(`more than ${deepest} levels`);
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message repeats the body, which may hold a secret.
    const [position] = /position \d+/.exec(String(error)) ?? [];
    if (position !== undefined) throw notJson(`invalid character at ${position}`);
    throw notJson(/end of JSON/.test(String(error)) ? 'unexpected end of JSON input' : 'invalid character');
  }
}

function notJson(problem: string): RequestRefusal {
  return new RequestRefusal(400, `failed to decode JSON input: ${problem}`);
}
