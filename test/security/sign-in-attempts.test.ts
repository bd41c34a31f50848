import { beforeEach, describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../packages/core/src/graph/values/errors.ts';
import { attemptWindowMs } from '../../packages/run-tasks/src/pages/sign-in-attempts.ts';
import { startPages } from '../../packages/run-tasks/test/pages/page-server.ts';
import { HttpBrowser, problemsIn, type Shown } from '../../packages/secrets-service/test/ui/http-browser.ts';
import { started } from '../harness/started.ts';

const tooMany = 'Too many sign-ins like this were refused. Try again in five minutes.';

describe('guessing at the sign-in page of runs', () => {
  let clock = 0;
  let addresses = 0;
  const providers = {
    redirectUri: 'http://127.0.0.1:8300/ui/sign-in/callback',
    methods: async () => [],
    async begin({ role }: { role: string }) {
      if (role === 'reader') return new URL('https://id.example.com/auth');
      throw new GatehouseError({
        code: role === 'down' ? 'service_unreachable' : 'login_refused',
        what: 'no',
      });
    },
    takeForm: async () => new URLSearchParams(),
    finish: async () => ({ method: '', to: '', token: '' }),
    revoke: async () => {},
  };
  const pages = started(() => startPages({ providers, now: () => clock, trustedProxies: ['127.0.0.1'] }));
  beforeEach(() => {
    pages().state.isReachable = true;
    clock += attemptWindowMs;
  });

  /** Another browser at another address, unless it is given. */
  async function attempt(
    path: string,
    fields: Record<string, string>,
    address = `2001:db8::${(++addresses).toString(16)}`,
  ): Promise<Shown & { retryAfter: string | null }> {
    const browser = new HttpBrowser(pages().address);
    const form = new URLSearchParams({ form_token: await browser.formToken(), ...fields });
    const headers = { 'x-forwarded-for': address };
    const response = await browser.send(path, { method: 'POST', body: form, headers });
    const { status } = response;
    const retryAfter = response.headers.get('retry-after');
    return { status, path: '', text: await response.text(), retryAfter };
  }
  const withToken = (token: string, address?: string) => attempt('/ui/sign-in', { token }, address);
  const withRole = (role: string) => attempt('/ui/sign-in/oidc', { method: 'staff', role });
  async function statusesOf(count: number, one: () => Promise<Shown>): Promise<number[]> {
    const statuses: number[] = [];
    for (let left = count; left > 0; left -= 1) statuses.push((await one()).status);
    return statuses;
  }

  test('one token from many addresses ends after ten attempts', async () => {
    expect(await statusesOf(10, () => withToken('guessed'))).toEqual(Array(10).fill(403));
    const shown = await withToken('guessed');
    expect([shown.status, shown.retryAfter, problemsIn(shown)]).toEqual([429, '300', [tooMany]]);
    clock += attemptWindowMs;
    expect((await withToken('guessed')).status).toBe(403);
  });

  test('one token from many addresses at the same time ends after ten attempts', async () => {
    const shown = await Promise.all(Array.from({ length: 30 }, () => withToken('at-once')));
    expect(shown.filter(({ status }) => status === 403)).toHaveLength(10);
    expect(shown.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('many tokens from one address ends after a hundred attempts, for that address alone', async () => {
    const all = await Promise.all(
      Array.from({ length: 110 }, (_, index) => withToken(`token-${index}`, '203.0.113.9')),
    );
    expect(all.filter(({ status }) => status === 403)).toHaveLength(100);
    expect((await withToken('a-readers-token', '203.0.113.9')).status).toBe(429);
    expect((await withToken('a-readers-token', '203.0.113.10')).status).toBe(303);
  });

  test('one role from many addresses ends after ten attempts, whether it exists is not told', async () => {
    expect(await statusesOf(10, () => withRole('guessed'))).toEqual(Array(10).fill(400));
    const shown = await withRole('guessed');
    expect([shown.status, problemsIn(shown)]).toEqual([429, [tooMany]]);
  });

  test('locks nobody else out of a role', async () => {
    expect(await statusesOf(15, () => withRole('reader'))).toEqual(Array(15).fill(200));
  });

  test('locks nobody out of a valid token', async () => {
    expect(await statusesOf(15, () => withToken('a-readers-token', '203.0.113.9'))).toEqual(
      Array(15).fill(303),
    );
  });

  test('what a service that is down does not answer is no attempt', async () => {
    pages().state.isReachable = false;
    expect(await statusesOf(12, () => withToken('a-readers-token'))).toEqual(Array(12).fill(503));
    expect(await statusesOf(12, () => withRole('down'))).toEqual(Array(12).fill(503));
    pages().state.isReachable = true;
    expect((await withToken('a-readers-token')).status).toBe(303);
  });
});
