import { createHash } from 'node:crypto';
import { type Json, key, type Space, type Storage } from '../storage/storage.ts';
import { openBatchToken } from './batch-token.ts';
import { perSecond, type StoredToken } from './token.ts';

// All in the root namespace: a token is looked up before its namespace is known.
const tokenKey = (hash: string) => key('', 'token', hash);
const accessorKey = (accessor: string) => key('', 'token-accessor', accessor);
const childKey = (parent: string, hash: string) => key('', 'token-child', parent, hash);
const expiryKey = (minute: string, hash: string) => key('', 'token-expiry', minute, hash);
const reapedKey = key('', 'core', 'tokens-reaped');

export function hashOfToken(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** The token of an id, if neither it nor a parent has expired or is revoked. */
export function findToken(storage: Storage, now: bigint, id: string): StoredToken | undefined {
  const batch = openBatchToken(storage, id);
  const hash = hashOfToken(id);
  return batch === undefined
    ? findByHash(storage, now, hash)
    : valid(storage, now, tokenFromJson({ ...batch, hash }));
}

export function findTokenByAccessor(
  storage: Storage,
  now: bigint,
  accessor: string,
): StoredToken | undefined {
  const hash = storage.get(accessorKey(accessor));
  return typeof hash === 'string' ? findByHash(storage, now, hash) : undefined;
}

function findByHash(storage: Storage, now: bigint, hash: string): StoredToken | undefined {
  const token = readToken(storage, hash);
  return token && valid(storage, now, token);
}

/** The token, unless it or a parent has expired. Revoking a parent has already revoked it. */
function valid(storage: Storage, now: bigint, token: StoredToken): StoredToken | undefined {
  const { expires, parent } = token;
  if (expires !== undefined && expires <= now) return undefined;
  return parent === undefined || findByHash(storage, now, parent) !== undefined ? token : undefined;
}

function readToken(storage: Storage, hash: string): StoredToken | undefined {
  const json = storage.get(tokenKey(hash));
  return json === undefined ? undefined : tokenFromJson(json);
}

/** Stores a new service token with its indexes. */
export function addToken(storage: Storage, token: StoredToken): void {
  putToken(storage, token);
  storage.put(accessorKey(token.accessor), token.hash);
  if (token.parent !== undefined) storage.put(childKey(token.parent, token.hash), true);
  if (token.expires !== undefined) storage.put(expiryKey(minuteOf(token.expires), token.hash), true);
}

export function putToken(storage: Storage, token: StoredToken): void {
  storage.put(tokenKey(token.hash), tokenToJson(token));
}

/** Deletes a token with its children, or makes them orphans with `keepChildren`. */
export function revokeToken(storage: Storage, hash: string, keepChildren = false): void {
  const hashes = [hash];
  for (const revoked of hashes) {
    const token = readToken(storage, revoked);
    for (const child of childrenOf(storage, revoked)) {
      storage.delete(childKey(revoked, child));
      if (keepChildren) orphan(storage, child);
      else hashes.push(child);
    }
    if (token === undefined) continue;
    storage.delete(tokenKey(revoked));
    storage.delete(accessorKey(token.accessor));
    if (token.parent !== undefined) storage.delete(childKey(token.parent, revoked));
  }
}

function orphan(storage: Storage, hash: string): void {
  const token = readToken(storage, hash);
  if (token !== undefined) putToken(storage, { ...token, parent: undefined });
}

function childrenOf(storage: Storage, hash: string): string[] {
  return storage.list(childKey(hash, '')).map(([child]) => child.slice(child.lastIndexOf('/') + 1));
}

export function accessorsOf(storage: Storage, now: bigint, namespace: string): string[] {
  return storage
    .list(accessorKey(''))
    .map(([, hash]) => findByHash(storage, now, String(hash)))
    .filter((token) => token?.namespace === namespace)
    .map((token) => token?.accessor ?? '');
}

/** Revokes the tokens created in a namespace, or below one of its paths, with their children. */
export function revokeTokensOf({ storage, namespace }: Space, path = ''): void {
  for (const [, json] of storage.list(tokenKey(''))) {
    const token = tokenFromJson(json);
    if (token.namespace === namespace && token.path.startsWith(path)) revokeToken(storage, token.hash);
  }
}

/**
 * Deletes expired tokens to limit the storage; every use checks expiry itself. Tokens are indexed by the minute in
 * which they expire, and renewed ones are moved on here.
 */
export function reapTokens(storage: Storage, now: bigint): void {
  storage.transaction(() => {
    const current = now / (60n * perSecond);
    const reaped = storage.get(reapedKey);
    const first = typeof reaped === 'string' ? BigInt(reaped) : undefined;
    const prefixes =
      first === undefined
        ? [key('', 'token-expiry', '')]
        : Array.from({ length: Math.max(0, Number(current - first)) }, (_, at) =>
            expiryKey(minuteText(first + BigInt(at)), ''),
          );
    for (const prefix of prefixes) for (const [noted] of storage.list(prefix)) reap(storage, now, noted);
    storage.put(reapedKey, String(current));
  });
}

function reap(storage: Storage, now: bigint, noted: string): void {
  const hash = noted.slice(noted.lastIndexOf('/') + 1);
  const token = readToken(storage, hash);
  if (token?.expires === undefined) storage.delete(noted);
  else if (token.expires <= now) {
    storage.delete(noted);
    revokeToken(storage, hash);
  } else if (noted !== expiryKey(minuteOf(token.expires), hash)) {
    storage.delete(noted);
    storage.put(expiryKey(minuteOf(token.expires), hash), true);
  }
}

function minuteOf(time: bigint): string {
  return minuteText(time / (60n * perSecond));
}

function minuteText(minute: bigint): string {
  return minute.toString().padStart(12, '0');
}

/** A token as JSON: its times are strings, as they do not fit a number. */
export function tokenToJson(token: StoredToken): Json {
  const entries = Object.entries(token).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  );
}

function tokenFromJson(json: Json): StoredToken {
  const times = ['created', 'renewed', 'expires'];
  const entries = Object.entries(json as object);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, times.includes(name) ? BigInt(value) : value]),
  ) as StoredToken;
}
