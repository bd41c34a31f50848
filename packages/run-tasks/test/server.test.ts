import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { rawHttp, statusesOf } from '../../../test/harness/raw-http.ts';
import { Metrics } from '../../host/src/metrics.ts';
import type { Route } from '../src/route.ts';
import { type RunTaskServer, type RunTaskServerArgs, startRunTaskServer } from '../src/server.ts';

describe('the run task server', () => {
  let server: RunTaskServer | undefined;
  afterEach(() => server?.close());
  const start = async (change: Partial<RunTaskServerArgs> = {}) => {
    server = await startRunTaskServer({ routes: [digest], checkReady: async () => {}, ...change });
    return server.address;
  };
  const sha = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
  const digest: Route = {
    method: 'POST',
    path: '/digest/:name',
    answer: async ({ body }) => ({ status: 200, body: sha(body) }),
  };

  const slowly = (work: () => Promise<unknown>): Route => ({
    method: 'GET',
    path: '/slow',
    answer: () => work().then(() => ({ status: 200 })),
  });

  test.each(['application/json', 'application/json\t;x', 'text/plain', '; nonsense', '', undefined])(
    'gives a route the bytes as they came, with content type %j',
    async (type) => {
      const body = Buffer.from('{"a": "\u0000", \xff');
      const answer = await fetch(`${await start()}/digest/a`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: type === undefined ? {} : { 'content-type': type },
      });
      expect(await answer.text()).toBe(sha(body));
    },
  );

  test('refuses a body that is too large', async () => {
    const address = await start({
      routes: [digest, { ...digest, path: '/large', maxBytes: 3 * 1024 * 1024 }],
    });
    const body = new Uint8Array(2 * 1024 * 1024);
    expect((await fetch(`${address}/digest/a`, { method: 'POST', body })).status).toBe(413);
    expect((await fetch(`${address}/large`, { method: 'POST', body })).status).toBe(200);
  });

  test('answers another method on a known path with 405, and says which there are', async () => {
    const read: Route = { ...digest, method: 'GET' };
    const address = await start({ routes: [digest, read] });
    for (const method of ['PATCH', 'PUT', 'DELETE', 'OPTIONS', 'QUERY']) {
      const answer = await fetch(`${address}/digest/a`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, GET']);
      expect(answer.headers.get('content-type')).toBe('application/vnd.api+json');
    }
  });

  test('answers TRACE as any other method that a path has not, with what it has', async () => {
    const raw = await rawHttp(
      await start(),
      'TRACE /digest/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    );
    expect(statusesOf(raw)).toEqual(['405']);
    expect(raw.toLowerCase()).toContain('\r\nallow: post\r\n');
  });

  test('has browsers ask over TLS alone, where it is reached so', async () => {
    const header = async (path: string, secure?: boolean) => {
      const { headers } = await fetch((await start(secure === undefined ? {} : { secure })) + path);
      await server?.close();
      return headers.get('strict-transport-security');
    };
    for (const path of ['/health', '/nowhere', '/digest/a']) {
      expect(await header(path, true)).toBe('max-age=31536000');
    }
    expect(await header('/health')).toBeNull();
  });

  test.each(['/', '/digest', '/digest/a/b', '/Digest/a', '/digest/%ff', `/digest/${'a'.repeat(5000)}`])(
    'answers 404 at %.20s, which is no known path',
    async (path) => {
      const answer = await fetch(`${await start()}${path}`, { method: 'POST', body: 'x' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/vnd.api+json']);
      const { errors } = (await answer.json()) as { errors: object[] };
      expect(errors).toEqual([{ status: '404', title: 'Not Found', detail: expect.any(String) }]);
    },
  );

  test.each(['content-length: 3000000', 'transfer-encoding: chunked'])(
    'answers a body that is too large once it was sent, with %s',
    async (header) => {
      const body = 'x'.repeat(3_000_000);
      const isChunked = header.includes('chunked');
      const sent = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
      const answer = await rawHttp(
        await start(),
        `POST /digest/a HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n${sent}`,
      );
      expect(statusesOf(answer)).toEqual(['413']);
    },
  );

  test('refuses more than it may take in a second from one address, with 429', async () => {
    const address = await start({ limits: { perSecond: 2 }, now: () => 0 });
    const ask = async () => (await fetch(`${address}/digest/a`, { method: 'POST', body: 'x' })).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    expect((await fetch(`${address}/health`)).status).toBe(200);
  });

  test('refuses more than it may have at work for one address, and takes others when they are done', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const slow = slowly(() => gate);
    const limits = { atWork: 1 };
    const address = await start({ routes: [slow, digest], limits, trustedProxies: ['127.0.0.1'] });
    const first = fetch(`${address}/slow`);
    const ask = (headers = {}) => fetch(`${address}/digest/a`, { method: 'POST', body: 'x', headers });
    let refused: Response;
    do refused = await ask();
    while (refused.status === 200);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await ask({ 'x-forwarded-for': '192.0.2.7' })).status).toBe(200);
    for (const path of ['/ready', '/health']) expect((await fetch(address + path)).status).toBe(200);
    openGate();
    expect((await first).status).toBe(200);
    let taken: Response;
    do taken = await ask();
    while (taken.status === 429);
    expect(taken.status).toBe(200);
  });

  test('is ready as long as its store is', async () => {
    let isThere = true;
    let now = 0;
    const address = await start({
      now: () => now,
      checkReady: async () => {
        if (!isThere) throw new Error('gone');
      },
    });
    expect((await fetch(`${address}/ready`)).status).toBe(200);
    isThere = false;
    now = 1000;
    expect((await fetch(`${address}/ready`)).status).toBe(503);
    expect((await fetch(`${address}/health`)).status).toBe(200);
  });

  test('asks its store once at a time, however many ask whether it is ready', async () => {
    let asked = 0;
    const address = await start({
      checkReady: async () => {
        asked += 1;
      },
      now: () => 0,
    });
    const all = await Promise.all(Array.from({ length: 50 }, () => fetch(`${address}/ready`)));
    expect([asked, all.every(({ status }) => status === 200)]).toEqual([1, true]);
  });

  test('has an OpenAPI document of the routes with a description', async () => {
    const described: Route = {
      ...digest,
      path: '/things/:id',
      description: {
        summary: 'Change a thing',
        security: 'bearer',
        query: z.object({ dry: z.string().optional() }),
        body: z.strictObject({ name: z.string().min(1) }),
        answers: { 200: { schema: z.object({ version: z.int() }) }, 204: 'empty' },
        refused: z.object({ error: z.string() }),
      },
    };
    const address = await start({ routes: [digest, described], version: '1.2.3' });
    const document = (await (await fetch(`${address}/openapi.json`)).json()) as any;
    expect(Object.keys(document.paths)).toEqual([
      '/things/{id}',
      '/health',
      '/ready',
      '/metrics',
      '/openapi.json',
    ]);
    expect(document.info.version).toBe('1.2.3');
    expect(document.paths['/things/{id}'].post).toMatchObject({
      security: [{ bearer: [] }],
      parameters: [
        { name: 'dry', in: 'query', required: false, schema: { type: 'string' } },
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { schema: { required: ['name'] } } } },
      responses: {
        200: { content: { 'application/json': { schema: { required: ['version'] } } } },
        204: { description: 'Done' },
        503: { content: { 'application/vnd.api+json': {} } },
        '4XX': {
          content: {
            'application/json': {},
            'application/vnd.api+json': { schema: { required: ['errors'] } },
          },
        },
      },
    });
    expect(document.paths['/health'].get.security).toEqual([]);
  });

  test('counts requests by route, and says nothing of paths', async () => {
    const metrics = new Metrics();
    const address = await start({ metrics });
    await fetch(`${address}/digest/secret-name`, { method: 'POST', body: 'x' });
    await fetch(`${address}/nowhere/secret-name`);
    const text = await (await fetch(`${address}/metrics`)).text();
    expect(text).toContain(
      'gatehouse_http_requests_total{route="/digest/:name",method="POST",status="200"} 1',
    );
    expect(text).toContain('gatehouse_http_requests_total{route="none",method="GET",status="404"} 1');
    expect(text).not.toContain('secret-name');
  });

  test('answers what it was asked before it ends', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const slow = slowly(() => {
      isAsked();
      return new Promise((resolve) => setTimeout(resolve, 200));
    });
    const address = await start({ routes: [slow] });
    const answer = fetch(`${address}/slow`);
    await asked;
    await server?.close();
    expect((await answer).status).toBe(200);
    await expect(fetch(`${address}/slow`)).rejects.toThrow();
  });

  test('says which port it cannot have', async () => {
    const port = Number(new URL(await start()).port);
    const second = startRunTaskServer({ port, routes: [], checkReady: async () => {} });
    await expect(second).rejects.toMatchObject({ code: 'port_in_use' });
  });

  test('does not say why something failed inside', async () => {
    const failing = slowly(() => Promise.reject(new Error('with a secret in it')));
    const answer = await fetch(`${await start({ routes: [failing] })}/slow`);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      '{"errors":[{"status":"500","title":"Internal Server Error","detail":"Internal error."}]}',
    ]);
  });
});
