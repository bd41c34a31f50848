import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SecretsRequest } from '../../../../embedded/secrets/protocol/path.ts';
import { SecretsService } from '../../../../embedded/secrets/service/service.ts';
import { rootTokenOf } from '../../../../embedded/secrets/tokens/create-token.ts';
import { reapTokens } from '../../../../embedded/secrets/tokens/token-store.ts';
import { MemoryStorage } from '../../../harness/memory-storage.ts';

const second = 1_000_000_000n;

/** Tokens over time, on a service whose clock the test sets. */
describe('the life of a token', () => {
  let storage: MemoryStorage;
  let service: SecretsService;
  let now: bigint;
  beforeEach(() => {
    now = 1_800_000_000n * second;
    storage = new MemoryStorage();
    rootTokenOf(storage, now, 'root');
    service = new SecretsService({ storage, now: () => now });
  });

  const ask = (request: Partial<SecretsRequest>) =>
    service.handle({
      operation: 'read',
      path: 'auth/token/lookup-self',
      namespace: '',
      token: 'root',
      body: {},
      query: {},
      isFolder: false,
      remoteAddress: '127.0.0.1',
      id: 'x',
      ...request,
    });
  const create = async (body: SecretsRequest['body'], token = 'root') =>
    (
      await ask({
        operation: 'update',
        path: 'auth/token/create',
        body: { policies: ['default'], ...body },
        token,
      })
    ).auth?.['client_token'] as string;
  const isGood = (token: string, more: Partial<SecretsRequest> = {}) =>
    ask({ token, ...more }).then(
      () => true,
      () => false,
    );

  test.each(['service', 'batch'])(
    'CVE-2026-115356: a %s token is good until its last nanosecond, and not then',
    async (type) => {
      const token = await create({ type, ttl: '1h' });
      now += 3600n * second - 1n;
      const before = await isGood(token);
      now += 1n;
      expect([before, await isGood(token)]).toEqual([true, false]);
    },
  );

  test('CVE-2026-115362: a token that is over cannot be renewed', async () => {
    const token = await create({ ttl: '1h' });
    now += 3600n * second;
    const renew = { operation: 'update', path: 'auth/token/renew', body: { token } } as const;
    await expect(ask(renew)).rejects.toMatchObject({ status: 400, errors: ['token not found'] });
  });

  test('a renewal counts from now', async () => {
    const token = await create({ ttl: '1h' });
    now += 1800n * second;
    await ask({ operation: 'update', path: 'auth/token/renew-self', token });
    now += 3599n * second;
    expect(await isGood(token)).toBe(true);
  });

  test('CVE-2026-115356: a child is over with its parent, even while nothing was cleared away', async () => {
    const parent = await create({ policies: ['root'], ttl: '1h' });
    const child = await create({ ttl: '5h' }, parent);
    const batch = await create({ ttl: '5h', type: 'batch' }, parent);
    now += 3600n * second;
    expect([await isGood(child), await isGood(batch)]).toEqual([false, false]);
  });

  test('a batch token with a letter changed is none', async () => {
    const batch = await create({ type: 'batch' });
    const changed = batch.slice(0, 20) + (batch[20] === 'A' ? 'B' : 'A') + batch.slice(21);
    expect([await isGood(batch), await isGood(changed)]).toEqual([true, false]);
  });

  test('root never ends', async () => {
    now += 10n ** 10n * second;
    expect(await isGood('root')).toBe(true);
  });

  test('a token is good from its addresses only', async () => {
    const token = await create({ bound_cidrs: ['10.0.0.0/8'] });
    expect([await isGood(token), await isGood(token, { remoteAddress: '10.1.2.3' })]).toEqual([false, true]);
  });

  test('clearing away forgets all of what is over, and nothing else', async () => {
    await create({ ttl: '90d', policies: ['root'] });
    const before = storage.list('').length;
    reapTokens(storage, now);
    for (let at = 0; at < 20; at += 1) await create({ ttl: '10m' });
    const renewed = await create({ ttl: '10m' });
    await ask({
      operation: 'update',
      path: 'auth/token/renew-self',
      token: renewed,
      body: { increment: '30m' },
    });
    now += 660n * second;
    reapTokens(storage, now);
    const kept = await isGood(renewed);
    now += 1800n * second;
    reapTokens(storage, now);
    // One more than before: the last minute reaped.
    expect([kept, storage.list('').length]).toEqual([true, before + 1]);
  });

  test('no token is stored in clear', async () => {
    const token = await create({});
    const batch = await create({ type: 'batch' });
    const stored = JSON.stringify(storage.list(''));
    expect([token, batch].filter((one) => stored.includes(one))).toEqual([]);
  });
});
