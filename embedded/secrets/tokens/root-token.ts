import { randomBytes } from 'node:crypto';
import { key, type Storage } from '../storage/storage.ts';
import { createToken } from './create-token.ts';
import { findToken } from './token-store.ts';

/**
 * Makes sure that there is a root token: the one given, or a random one at the first start. Its hash alone is kept.
 *
 * @returns the token; undefined where none is given and an earlier start made one.
 */
export function rootTokenOf(storage: Storage, now: bigint, given: string | undefined): string | undefined {
  const madeKey = key('', 'core', 'root-token-made');
  return storage.transaction(() => {
    if (given === undefined && storage.get(madeKey) !== undefined) return undefined;
    const id = given ?? `hvs.${randomBytes(24).toString('base64url')}`;
    storage.put(madeKey, true);
    if (findToken(storage, now, id) === undefined) {
      createToken(storage, now, {
        id,
        namespace: '',
        policies: ['root'],
        path: 'auth/token/root',
        displayName: 'root',
        ttl: 0,
        maxTtl: 0,
      });
    }
    return id;
  });
}
