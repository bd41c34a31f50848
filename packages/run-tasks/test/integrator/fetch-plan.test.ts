import type { RequestListener } from 'node:http';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type BareServer, serveRequests } from '../../../../test/harness/bare-server.ts';
import { largestPlan } from '../../../core/src/review/plan/read-plan.ts';
import { fetchPlan, PlanNotReady } from '../../src/integrator/fetch-plan.ts';
import { Outbound } from '../../src/outbound/outbound.ts';

describe('fetching a plan', () => {
  const servers: BareServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const serve = async (listener: RequestListener) => {
    const server = await serveRequests((request, _body, response) => listener(request, response));
    servers.push(server);
    return server.address;
  };
  const request = {
    accessToken: 'the-token',
    userAgent: 'gatehouse/test',
    signal: new AbortController().signal,
  };
  const fetchFrom = (url: string, allowedOrigins: string[]) =>
    fetchPlan(new Outbound({ allowedOrigins }), { ...request, url: `${url}/plan` });

  test('follows the platform to its storage, and keeps the token from there', async () => {
    const given: (string | undefined)[] = [];
    const storage = await serve(({ headers }, response) => {
      given.push(headers.authorization);
      response.end('{"a": 1}');
    });
    const platform = await serve(({ headers }, response) => {
      given.push(headers.authorization);
      response.writeHead(307, { location: `${storage}/object/1` }).end();
    });
    expect((await fetchFrom(platform, [platform, storage])).toString()).toBe('{"a": 1}');
    expect(given).toEqual(['Bearer the-token', undefined]);
  });

  test('judges where it is led to as the first address', async () => {
    const storage = await serve((_, response) => void response.end('{}'));
    const platform = await serve((_, response) => void response.writeHead(302, { location: storage }).end());
    await expect(fetchFrom(platform, [platform])).rejects.toMatchObject({ code: 'address_refused' });
  });

  const coded: [string, Buffer][] = [
    ['gzip', gzipSync('{"a": 1}')],
    ['x-gzip', gzipSync('{"a": 1}')],
    ['deflate', deflateSync('{"a": 1}')],
    ['deflate', deflateRawSync('{"a": 1}')],
    ['br', brotliCompressSync('{"a": 1}')],
    ['gzip, BR', brotliCompressSync(gzipSync('{"a": 1}'))],
    ['identity', Buffer.from('{"a": 1}')],
  ];
  const serveCoded = (encoding: string, body: Buffer) =>
    serve((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test.each(coded)('decodes %s', async (encoding, body) => {
    const platform = await serveCoded(encoding, body);
    expect((await fetchFrom(platform, [platform])).toString()).toBe('{"a": 1}');
  });

  /** The best that it can would take seconds. */
  const quickBrotli = (body: Buffer) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

  test.each([
    ['gzip', (body: Buffer) => gzipSync(body, { level: 1 })],
    ['deflate', (body: Buffer) => deflateSync(body, { level: 1 })],
    ['br', quickBrotli],
  ] as const)('does not unpack %s beyond what a plan may be', async (encoding, compress) => {
    const platform = await serveCoded(encoding, compress(Buffer.alloc(largestPlan + 1, ' ')));
    await expect(fetchFrom(platform, [platform])).rejects.toMatchObject({ code: 'plan_too_large' });
  });

  test.each([
    ['zstd', Buffer.from('{}')],
    ['gzip', Buffer.from('{}')],
    ['br', Buffer.from('no')],
    ['deflate', Buffer.alloc(0)],
    ['gzip', gzipSync('{"a": 1}').subarray(0, 20)],
  ])('does not take what it cannot decode (%s)', async (encoding, body) => {
    const platform = await serveCoded(encoding, body);
    await expect(fetchFrom(platform, [platform])).rejects.toMatchObject({ code: 'plan_unavailable' });
  });

  test('is not led on for ever', async () => {
    let hops = 0;
    const platform = await serve((_, response) => {
      hops += 1;
      response.writeHead(302, { location: '/plan' }).end();
    });
    await expect(fetchFrom(platform, [platform])).rejects.toMatchObject({ code: 'plan_unavailable' });
    expect(hops).toBe(4);
  });

  test.each([
    ['https://storage.example.com/1', undefined],
    ['http://storage.example.com/1', 'plan_unavailable'],
  ])('led on from https to %s: %s', async (location, code) => {
    const outbound: Pick<Outbound, 'request'> = {
      request: async ({ url }) =>
        url === location
          ? { status: 200, headers: {}, body: Buffer.from('{}') }
          : { status: 307, headers: { location }, body: Buffer.alloc(0) },
    };
    const fetched = fetchPlan(outbound, { ...request, url: 'https://platform.example.com/plan' });
    const end = await fetched.then(
      () => undefined,
      (error) => error.code,
    );
    expect(end).toBe(code);
  });

  test.each([204, 408, 425, 429, 500, 503])('is tried again after %i', async (status) => {
    const platform = await serve((_, response) => void response.writeHead(status).end());
    await expect(fetchFrom(platform, [platform])).rejects.toThrow(PlanNotReady);
  });

  test('is tried again where nobody answers', async () => {
    const platform = await serve(({ socket }) => void socket.destroy());
    await expect(fetchFrom(platform, [platform])).rejects.toThrow(PlanNotReady);
  });

  test.each([400, 401, 403, 404, 422])('is given up after %i, and the error has no token', async (status) => {
    const platform = await serve((_, response) => void response.writeHead(status).end());
    const error = await fetchFrom(platform, [platform]).catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'plan_unavailable' });
    expect(String(error)).not.toContain('the-token');
  });
});
