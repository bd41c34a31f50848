import { beforeEach, describe, expect, test } from '@jest/globals';
import { rootToken } from '../../../../test/harness/embedded-service.ts';
import { reapTokens } from '../../src/tokens/token-store.ts';
import { AuthService, type Call } from '../auth/auth-service.ts';

const second = 1_000_000_000n;

/** Tokens over time, on a service whose clock the test sets. */
describe('the life of a token', () => {
  let service: AuthService;
  beforeEach(() => {
    service = new AuthService();
  });

  const write = (path: string, body: object = {}, token?: string) =>
    service.call({ operation: 'update', path: `auth/token/${path}`, body, ...(token && { token }) });
  const create = async (body: object, token?: string): Promise<string> =>
    (await write('create', { policies: ['default'], ...body }, token)).auth.client_token;
  const isGood = async (token: string, fields: Partial<Call> = {}) =>
    (await service.call({ operation: 'read', path: 'auth/token/lookup-self', token, ...fields })).status ===
    200;

  test.each(['service', 'batch'])(
    'CVE-2026-115356: a %s token is good until its last nanosecond, and not then',
    async (type) => {
      const token = await create({ type, ttl: '1h' });
      service.now += 3600n * second - 1n;
      const before = await isGood(token);
      service.now += 1n;
      expect([before, await isGood(token)]).toEqual([true, false]);
    },
  );

  test('CVE-2026-115362: a token that is over cannot be renewed', async () => {
    const token = await create({ ttl: '1h' });
    service.now += 3600n * second;
    expect(await write('renew', { token })).toEqual({ status: 400, errors: ['token not found'] });
  });

  test('a renewal counts from now', async () => {
    const token = await create({ ttl: '1h' });
    service.now += 1800n * second;
    await write('renew-self', {}, token);
    service.now += 3599n * second;
    expect(await isGood(token)).toBe(true);
  });

  test('CVE-2026-115356: a child is over with its parent, even while nothing was cleared away', async () => {
    const parent = await create({ policies: ['root'], ttl: '1h' });
    const child = await create({ ttl: '5h' }, parent);
    const batch = await create({ ttl: '5h', type: 'batch' }, parent);
    service.now += 3600n * second;
    expect([await isGood(child), await isGood(batch)]).toEqual([false, false]);
  });

  test('a batch token with a letter changed is none', async () => {
    const batch = await create({ type: 'batch' });
    const changed = batch.slice(0, 20) + (batch[20] === 'A' ? 'B' : 'A') + batch.slice(21);
    expect([await isGood(batch), await isGood(changed)]).toEqual([true, false]);
  });

  test('root never ends', async () => {
    service.now += 10n ** 10n * second;
    expect(await isGood(rootToken)).toBe(true);
  });

  test('a token is good from its addresses only', async () => {
    const token = await create({ bound_cidrs: ['10.0.0.0/8'] });
    expect([await isGood(token), await isGood(token, { remoteAddress: '10.1.2.3' })]).toEqual([false, true]);
  });

  test('clearing away forgets all of what is over, and nothing else', async () => {
    await create({ ttl: '90d', policies: ['root'] });
    const before = service.storage.list('').length;
    reapTokens(service.storage, service.now);
    for (let at = 0; at < 20; at += 1) await create({ ttl: '10m' });
    const renewed = await create({ ttl: '10m' });
    await write('renew-self', { increment: '30m' }, renewed);
    service.now += 660n * second;
    reapTokens(service.storage, service.now);
    const kept = await isGood(renewed);
    service.now += 1800n * second;
    reapTokens(service.storage, service.now);
    // One more than before: the last minute reaped.
    expect([kept, service.storage.list('').length]).toEqual([true, before + 1]);
  });

  test('no token is stored in clear', async () => {
    const token = await create({});
    const batch = await create({ type: 'batch' });
    const stored = JSON.stringify(service.storage.list(''));
    expect([token, batch].filter((one) => stored.includes(one))).toEqual([]);
  });
});
