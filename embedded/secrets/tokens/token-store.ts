import { createHash } from 'node:crypto';
import { type Json, key, type Storage } from '../storage/storage.ts';
import { openBatchToken } from './batch-token.ts';
import { perSecond, type Token } from './token.ts';

/** A token as JSON: its times are texts, for they do not fit a number. */
type Kept = Omit<Token, 'created' | 'renewed' | 'expires'> & {
  created: string;
  renewed?: string;
  expires?: string;
};

// A token is found by itself, before the namespace it belongs to is known: all are kept in the root one.
const tokenKey = (hash: string) => key('', 'token', hash);
const accessorKey = (accessor: string) => key('', 'token-accessor', accessor);
const childKey = (parent: string, hash: string) => key('', 'token-child', parent, hash);
const expiryKey = (minute: string, hash: string) => key('', 'token-expiry', minute, hash);
const reapedKey = key('', 'core', 'tokens-reaped');

export function hashOfToken(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** The token of this id while it is good: there, not expired, with uses left, and its parent is good too. */
export function findToken(storage: Storage, now: bigint, id: string): Token | undefined {
  const batch = openBatchToken(storage, id);
  if (batch === undefined) return goodToken(storage, now, hashOfToken(id));
  const token = tokenFromJson({ ...batch, hash: hashOfToken(id) });
  if (isOver(token, now)) return undefined;
  return token.parent === undefined || goodToken(storage, now, token.parent) !== undefined
    ? token
    : undefined;
}

export function findTokenByAccessor(storage: Storage, now: bigint, accessor: string): Token | undefined {
  const hash = storage.get(accessorKey(accessor));
  return typeof hash === 'string' ? goodToken(storage, now, hash) : undefined;
}

/** A service token that is good: revoking a token revokes its children, so expiry of a parent is what is left. */
function goodToken(storage: Storage, now: bigint, hash: string): Token | undefined {
  const token = readToken(storage, hash);
  if (token === undefined || isOver(token, now)) return undefined;
  return token.parent === undefined || goodToken(storage, now, token.parent) !== undefined
    ? token
    : undefined;
}

function isOver(token: Token, now: bigint): boolean {
  return token.expires !== undefined && token.expires <= now;
}

function readToken(storage: Storage, hash: string): Token | undefined {
  const kept = storage.get(tokenKey(hash));
  return kept === undefined ? undefined : tokenFromJson(kept);
}

/** Stores a new service token with all by which it is found. */
export function addToken(storage: Storage, token: Token): void {
  putToken(storage, token);
  storage.put(accessorKey(token.accessor), token.hash);
  if (token.parent !== undefined) storage.put(childKey(token.parent, token.hash), true);
  if (token.expires !== undefined) storage.put(expiryKey(minuteOf(token.expires), token.hash), true);
}

/** Stores what changed of a token: uses left, expiry. */
export function putToken(storage: Storage, token: Token): void {
  storage.put(tokenKey(token.hash), tokenToJson(token));
}

/** Forgets a token and all that it made; those live on as orphans when `keepChildren`. */
export function revokeToken(storage: Storage, hash: string, keepChildren = false): void {
  storage.transaction(() => {
    const hashes = [hash];
    for (const one of hashes) {
      const token = readToken(storage, one);
      for (const child of childrenOf(storage, one)) {
        storage.delete(childKey(one, child));
        if (keepChildren) orphan(storage, child);
        else hashes.push(child);
      }
      if (token === undefined) continue;
      storage.delete(tokenKey(one));
      storage.delete(accessorKey(token.accessor));
      if (token.parent !== undefined) storage.delete(childKey(token.parent, one));
    }
  });
}

function orphan(storage: Storage, hash: string): void {
  const token = readToken(storage, hash);
  if (token !== undefined) putToken(storage, { ...token, parent: undefined });
}

function childrenOf(storage: Storage, hash: string): string[] {
  return storage.list(childKey(hash, '')).map(([child]) => child.slice(child.lastIndexOf('/') + 1));
}

/** Accessors of the good tokens of a namespace. */
export function accessorsOf(storage: Storage, now: bigint, namespace: string): string[] {
  return storage
    .list(accessorKey(''))
    .map(([, hash]) => goodToken(storage, now, String(hash)))
    .filter((token) => token?.namespace === namespace)
    .map((token) => token?.accessor ?? '');
}

/** Revokes every token that was made in a namespace, or below one path of it, and all that these made. */
export function revokeTokensOf(storage: Storage, namespace: string, path = ''): void {
  for (const [, kept] of storage.list(tokenKey(''))) {
    const token = tokenFromJson(kept);
    if (token.namespace === namespace && token.path.startsWith(path)) revokeToken(storage, token.hash);
  }
}

/**
 * Forgets tokens that expired, so that what is kept does not grow for ever; whether a token may be used is decided at
 * use and not here. Each is noted under the minute in which it expires, and moves on when it was renewed since.
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

export function tokenToJson({ created, renewed, expires, ...rest }: Token): Json {
  const kept: Kept = { ...rest, created: String(created) };
  if (renewed !== undefined) kept.renewed = String(renewed);
  if (expires !== undefined) kept.expires = String(expires);
  return kept as unknown as Json;
}

function tokenFromJson(json: Json): Token {
  const { created, renewed, expires, ...rest } = json as unknown as Kept;
  return {
    ...rest,
    created: BigInt(created),
    renewed: renewed === undefined ? undefined : BigInt(renewed),
    expires: expires === undefined ? undefined : BigInt(expires),
  };
}
