import { describe, expect, test } from '@jest/globals';
import { Issuers } from '../../packages/secrets-service/src/auth/issuers.ts';
import { PendingLogins } from '../../packages/secrets-service/src/auth/pending-logins.ts';
import { reapTokens } from '../../packages/secrets-service/src/tokens/token-store.ts';
import { ask } from '../harness/ask.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { MemoryStorage } from '../harness/memory-storage.ts';
import { enableJwt, goodClaims, signed, startKeyServer } from './jwt-methods.ts';

describe('what is remembered of strangers has bounds', () => {
  const now = 1_800_000_000_000_000_000n;
  const minute = 60n * 1_000_000_000n;
  const login = {
    mountUuid: 'm',
    roleName: 'r',
    redirectUri: 'http://localhost/',
    clientNonce: 'n',
    page: '',
  };

  test('logins under way: ten thousand at most, the oldest goes', async () => {
    const pending = new PendingLogins();
    const first = await pending.begin(login, now);
    for (let at = 0; at < 10_000; at += 1) await pending.begin(login, now);
    const last = await pending.begin(login, now);
    expect([pending.find(first.state, 'm', now), pending.find(last.state, 'm', now)]).toEqual([
      undefined,
      last,
    ]);
    expect(pending.size).toBe(10_000);
  });

  test('logins under way: those that are over go when another begins', async () => {
    const pending = new PendingLogins();
    for (let at = 0; at < 50; at += 1) await pending.begin(login, now);
    await pending.begin(login, now + 10n * minute);
    expect(pending.size).toBe(1);
  });

  test.each(['redirectUri', 'clientNonce'])('logins under way: a long %s begins none', async (name) => {
    const pending = new PendingLogins();
    await expect(pending.begin({ ...login, [name]: 'x'.repeat(5_000) }, now)).rejects.toThrow(
      '4096 characters',
    );
    expect(pending.size).toBe(0);
  });

  test('logins under way: of a long answer of the provider nothing is kept', async () => {
    const pending = new PendingLogins();
    const started = await pending.begin(login, now);
    const isKept = pending.keep(started, { code: 'c', idToken: 'x'.repeat(20_000), error: '' });
    expect([isKept, started.posted]).toEqual([false, undefined]);
  });

  test('tokens: those that expired are forgotten, with all by which they are found', async () => {
    let clock = now;
    const storage = new MemoryStorage();
    const limited = await startEmbeddedService({ storage, now: () => clock });
    await enableJwt(limited, { path: 'jwt', role: { token_ttl: '1m' } });
    const kept = storage.list('|token').length;
    const jwt = signed({ alg: 'RS256' }, goodClaims(Number(clock / 1_000_000n)));
    const body = { role: 'people', jwt };
    for (let at = 0; at < 20; at += 1) await ask(limited, { method: 'POST', path: 'auth/jwt/login', body });
    const issued = storage.list('|token').length;
    clock += 3n * minute;
    reapTokens(storage, clock);
    await limited.close();
    expect([issued > kept, storage.list('|token').length]).toEqual([true, kept]);
  });

  test('issuers: five hundred are kept at most, whatever is configured', async () => {
    const { address, asked, close } = await startKeyServer([]);
    const issuers = new Issuers();
    const at = (number: number) => ({ url: `${address}/${number}`, caPem: '' });
    for (let number = 0; number <= 500; number += 1) await issuers.keys(at(number), now);
    await issuers.keys(at(500), now);
    const before = asked.length;
    await issuers.keys(at(0), now);
    await close();
    expect([before, asked.length]).toEqual([501, 502]);
  });
});
