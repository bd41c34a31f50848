import type { Entity } from '../src/identity/entity.ts';
import type { StoredGroup } from '../src/identity/group.ts';
import { partsOf, type Storage } from '../src/storage/storage.ts';
import type { StoredToken } from '../src/tokens/token.ts';

/** The index keys of a record, as parts. */
const indexes: Record<string, (record: any, hash: string) => (string | undefined)[]> = {
  'identity/group': ({ name, alias }: StoredGroup) => [
    `identity/group-name/${name.toLowerCase()}`,
    alias === null ? undefined : `identity/group-alias/${alias.id}`,
    alias === null
      ? undefined
      : `identity/group-alias-name/${alias.mountAccessor}/${alias.name.toLowerCase()}`,
  ],
  'identity/entity': ({ id, name, aliases, groups }: Entity) => [
    `identity/entity-name/${name.toLowerCase()}`,
    ...aliases.flatMap((alias) => [
      `identity/entity-alias/${alias.id}`,
      `identity/entity-alias-name/${alias.mountAccessor}/${alias.name.toLowerCase()}`,
    ]),
    ...groups.map((group) => `identity/group-member/${group}/${id}`),
  ],
  token: ({ accessor, parent, expires }: StoredToken, hash) => [
    `token-accessor/${accessor}`,
    parent === undefined ? undefined : `token-child/${parent}/${hash}`,
    expires === undefined ? undefined : `token-expiry/${hash}`,
  ],
};
/** A renewed token can be indexed under an earlier minute than that of its expiry. */
const expiryMinute = /^token-expiry\/\d+\//;
/** Stays until its minute, even if its token is revoked. */
const mayDangle = /^token-expiry\//;
const found = /^(token-\w+|identity\/(group|entity)-[\w-]+)\//;

/** Index keys without a record, and records without one of their index keys. */
export function dangling(storage: Storage): string[] {
  const there = new Set<string>();
  const needed = new Set<string>();
  for (const [key, record] of storage.list('')) {
    const parts = partsOf(key);
    const path = parts.join('/');
    if (found.test(path)) there.add(path.replace(expiryMinute, 'token-expiry/'));
    const last = parts.pop() ?? '';
    for (const index of indexes[parts.join('/')]?.(record, last) ?? []) if (index) needed.add(index);
  }
  return [
    ...[...there]
      .filter((index) => !needed.has(index) && !mayDangle.test(index))
      .map((index) => `nothing at ${index}`),
    ...[...needed].filter((index) => !there.has(index)).map((index) => `no ${index}`),
  ];
}
