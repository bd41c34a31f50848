import { afterEach, describe, expect, test } from '@jest/globals';
import type { Route } from '../../packages/run-tasks/src/route.ts';
import { type RunTaskServer, startRunTaskServer } from '../../packages/run-tasks/src/server.ts';
import { rawHttp } from '../harness/raw-http.ts';

const echo: Route = {
  method: 'GET',
  path: '/address',
  answer: async ({ address }) => ({ status: 200, body: address }),
};

describe('a forged forwarded address', () => {
  let server: RunTaskServer | undefined;
  afterEach(() => server?.close());
  /** The address that counts of a request from 127.0.0.1 with these headers. */
  async function seen(trustedProxies: string[] | undefined, ...headers: string[]): Promise<string> {
    const checkReady = async () => {};
    server = await startRunTaskServer({ routes: [echo], checkReady, trustedProxies });
    const head = ['GET /address HTTP/1.1', 'host: a', 'connection: close', ...headers].join('\r\n');
    return (await rawHttp(server.address, `${head}\r\n\r\n`)).split('\r\n\r\n')[1]?.trim() ?? '';
  }

  test.each([
    'x-forwarded-for: 203.0.113.9',
    'X-Forwarded-For: 203.0.113.9, 127.0.0.1',
    'forwarded: for=203.0.113.9',
    'x-real-ip: 203.0.113.9',
    'true-client-ip: 203.0.113.9',
    'via: 1.1 proxy',
  ])('does not count without trusted proxies: %s', async (header) => {
    expect(await seen(undefined, header)).toBe('127.0.0.1');
  });

  test('does not count of a sender that is no trusted proxy', async () => {
    expect(await seen(['10.0.0.1'], 'x-forwarded-for: 203.0.113.9, 10.0.0.1')).toBe('127.0.0.1');
  });

  test.each([
    ['what the sender wrote before its own', ['x-forwarded-for: 1.2.3.4, 203.0.113.9'], '203.0.113.9'],
    [
      'a trusted address that the sender wrote',
      ['x-forwarded-for: 10.1.1.1, 203.0.113.9, 10.0.0.7'],
      '203.0.113.9',
    ],
    ['a header of its own', ['x-forwarded-for: 1.2.3.4', 'x-forwarded-for: 203.0.113.9'], '203.0.113.9'],
    ['another header', ['x-forwarded-for: 203.0.113.9', 'forwarded: for=1.2.3.4'], '203.0.113.9'],
    ['an address in IPv6', ['x-forwarded-for: 1.2.3.4, 2001:db8::9'], '2001:db8::9'],
    ['another port for each request', ['x-forwarded-for: 203.0.113.9:51123'], '203.0.113.9'],
    ['another port in IPv6', ['x-forwarded-for: [2001:db8::9]:51123'], '2001:db8::9'],
    ['what is no address', ['x-forwarded-for: unknown'], '127.0.0.1'],
    ['a text of its choice', ['x-forwarded-for: 203.0.113.9, <script>'], '127.0.0.1'],
    ['nothing', ['x-forwarded-for: '], '127.0.0.1'],
    ['too much', [`x-forwarded-for: ${'1.2.3.4, '.repeat(900)}203.0.113.9`], '203.0.113.9'],
  ])('does not count behind a trusted proxy: %s', async (_, headers, address) => {
    expect(await seen(['127.0.0.1', '10.0.0.0/8'], ...headers)).toBe(address);
  });

  test('does not get round the limit of an address', async () => {
    server = await startRunTaskServer({
      routes: [echo],
      checkReady: async () => {},
      trustedProxies: ['127.0.0.1'],
      limits: { perSecond: 2 },
      now: () => 0,
    });
    const { address } = server;
    const statuses: number[] = [];
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      const headers = { 'x-forwarded-for': `${forged}, 203.0.113.9` };
      statuses.push((await fetch(`${address}/address`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const other = { headers: { 'x-forwarded-for': '203.0.113.10' } };
    expect((await fetch(`${address}/address`, other)).status).toBe(200);
  });
});
