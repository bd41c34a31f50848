import {
  type KeySet,
  type Keys,
  keyFromPem,
  LoginReason,
  LoginRefused,
  type VerificationKey,
} from '@gatehouse/core/login';
import { type Discovery, type DocumentSource, readDiscovery, readKeys } from '@gatehouse/service-client';
import { messageOf } from '../protocol/refusal.ts';
import { remembering } from '../storage/storage.ts';
import { type Config, issuerPlace, jwksPlaces } from './config.ts';

/** Nanoseconds that documents are cached. */
const keepFor = 15n * 60n * 1_000_000_000n;
/**
 * Nanoseconds between fetches for unknown key ids, as anyone can put any id into a token, and how many of them may come
 * at once, so that a token of a key that was rotated in just now is taken.
 */
const refreshEvery = 2n * 1_000_000_000n;
const refreshBurst = 5n;
/** Most cached issuers, and JWKS documents. */
const keepAtMost = 500;

interface Cached<Value> {
  at: bigint;
  value: Promise<Value>;
  /** When the fetches for unknown key ids so far would have been made, {@link refreshEvery} apart. */
  refreshedUntil: bigint;
}

export class Issuers {
  readonly #discoveries = new Map<string, Cached<Discovery>>();
  readonly #keys = new Map<string, Cached<VerificationKey[]>>();

  /**
   * The discovery document of an issuer.
   *
   * @param fresh Ignores the cache. Defaults to false.
   * @throws Error that says what is wrong with the issuer
   */
  discovery(place: DocumentSource, now: bigint, fresh = false): Promise<Discovery> {
    const load = async () => (await readDiscovery(place)).document;
    return keep(this.#discoveries, place, now, fresh ? 0n : keepFor, load);
  }

  /**
   * The keys of a JWKS document, fetched again for an unknown key id.
   *
   * @throws Error that says what is wrong with the document
   */
  async keys(place: DocumentSource, now: bigint, id?: string, fresh = false): Promise<KeySet> {
    const load = () => readKeys(place);
    let keys = await keep(this.#keys, place, now, fresh ? 0n : keepFor, load);
    if (id !== undefined && !keys.some((key) => key.id === id)) {
      keys = await keep(this.#keys, place, now, this.#mayRefresh(place, now) ? 0n : keepFor, load);
    }
    return { source: 'published', keys };
  }

  #mayRefresh(place: DocumentSource, now: bigint): boolean {
    const cached = this.#keys.get(nameOf(place));
    if (cached === undefined) return true;
    const until = (cached.refreshedUntil > now ? cached.refreshedUntil : now) + refreshEvery;
    if (until - now > refreshBurst * refreshEvery) return false;
    cached.refreshedUntil = until;
    return true;
  }
}

function keep<Value>(
  all: Map<string, Cached<Value>>,
  place: DocumentSource,
  now: bigint,
  age: bigint,
  load: () => Promise<Value>,
): Promise<Value> {
  const name = nameOf(place);
  const cached = all.get(name);
  if (cached !== undefined && now - cached.at < age) return cached.value;
  const loaded: Cached<Value> = { at: now, value: load(), refreshedUntil: cached?.refreshedUntil ?? 0n };
  all.delete(name);
  all.set(name, loaded);
  loaded.value.catch(() => {
    if (all.get(name) === loaded) all.delete(name);
  });
  const [oldest] = all.keys();
  if (all.size > keepAtMost && oldest !== undefined) all.delete(oldest);
  return loaded.value;
}

function nameOf({ url, caPem = '' }: DocumentSource): string {
  return `${url}\n${caPem}`;
}

/** The keys that verify a method's tokens: configured, its issuer's, or those of its JWKS documents. */
export function methodKeys(config: Config, issuers: Issuers, now: bigint): Keys {
  const configured = config.jwt_validation_pubkeys;
  if (configured.length > 0) {
    const keys = configured.flatMap((pem) => readOnce(pem) ?? []);
    return () => ({ source: 'configured', keys });
  }
  return async (id): Promise<KeySet> => {
    try {
      const issuer = issuerPlace(config);
      const places = jwksPlaces(config);
      if (issuer !== undefined) {
        const { jwks_uri: url } = await issuers.discovery(issuer, now);
        places.push({ url, caPem: issuer.caPem });
      }
      const sets = await Promise.all(places.map((place) => issuers.keys(place, now, id)));
      return { source: 'published', keys: sets.flatMap(({ keys }) => keys) };
    } catch (error) {
      throw new LoginRefused(
        LoginReason.keysUnavailable,
        `error validating token: error verifying token signature: fetching keys ${messageOf(error)}`,
      );
    }
  };
}

const readOnce = remembering(500, keyFromPem);
