import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { digestOfConfigured } from '../../src/storage/configured.ts';
import { SqliteStorage } from '../../src/storage/sqlite.ts';
import { key } from '../../src/storage/storage.ts';

test('the digest is of what administrators made, and not of what sign-ins leave', () => {
  const storage = new SqliteStorage(join(temporaryFolder(), 'secrets.sqlite'));
  const digest = () => digestOfConfigured(storage);
  const empty = digest();
  for (const parts of [
    ['token', 'hash'],
    ['token-expiry', '7', 'hash'],
    ['core', 'tokens-reaped'],
    ['identity', 'entity', 'id'],
    ['identity', 'entity-alias-name', 'accessor', 'alice'],
    ['identity', 'group-member', 'group', 'entity'],
  ]) {
    storage.put(key('team', ...parts), true);
    expect(digest()).toBe(empty);
  }
  const seen = new Set([empty]);
  for (const parts of [
    ['policy', 'read'],
    ['mount', 'auth', 'staff'],
    ['auth', 'uuid', 'role', 'reader'],
    ['identity', 'group', 'id'],
    ['namespace', 'team'],
    ['custom-message', 'id'],
  ]) {
    storage.put(key('', ...parts), { ttl: 1 });
    seen.add(digest());
    storage.put(key('', ...parts), { ttl: 2 });
    seen.add(digest());
  }
  expect(seen.size).toBe(13);
  storage.close();
});
