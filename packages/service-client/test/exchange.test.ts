import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { certificate } from '../../../test/harness/certificate.ts';
import { makeCertificateChain } from '../../../test/harness/certificate-chain.ts';
import { servingEachTest } from '../../../test/harness/serving.ts';
import { type ConnectionOptions, Connections, exchange } from '../src/exchange.ts';

const serving = servingEachTest();
const servingTls = async (
  options: ServerOptions,
  listener: RequestListener = (_, response) => response.end('{}'),
) => (await serving(listener, createServer(options, listener))).replace('http', 'https');

describe('an exchange that is ended by its signal', () => {
  test('ends where the answer does not come, and one that waits for its connection is not sent', async () => {
    const asked: (string | undefined)[] = [];
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const url = await serving(({ url: path }) => {
      asked.push(path);
      resolve();
    });
    const connections = new Connections(new URL(url), { maxConnections: 1 });
    const over = new AbortController();
    const both = ['/first', '/second'].map((path) => connections.send(path, { signal: over.signal }));
    await isAsked;
    over.abort();
    const outOfTime = { status: 'rejected', reason: expect.objectContaining({ code: 'ETIMEDOUT' }) };
    expect(await Promise.allSettled(both)).toEqual([outOfTime, outOfTime]);
    await expect(connections.send('/third', { signal: over.signal })).rejects.toThrow('no answer in time');
    connections.close();
    expect(asked).toEqual(['/first']);
  });
});

describe('the body of an answer', () => {
  test('ends the exchange where what takes it fails', async () => {
    const url = await serving((_, response) => response.write('abc'));
    const onData = () => {
      throw new Error('it cannot be read');
    };
    await expect(exchange(url, { onData })).rejects.toThrow('it cannot be read');
  });

  test('is read whole, up to the last byte that it may have', async () => {
    const url = await serving((_, response) => {
      response.write('abc');
      response.end('def');
    });
    expect((await exchange(url, { maxBytes: 6 })).body.toString()).toBe('abcdef');
  });

  test('is broken off where it is longer, however much is to come', async () => {
    const { promise: brokenOff, resolve } = Promise.withResolvers<void>();
    const url = await serving((_, response) => {
      response.on('close', resolve);
      response.write('abcdefg');
    });
    await expect(exchange(url, { maxBytes: 6 })).rejects.toThrow('the answer is longer than 6 bytes');
    await brokenOff;
  });

  test.each<[string, RequestListener]>([
    [
      'before its end',
      (_, response) => {
        response.writeHead(200, { 'content-length': '6' });
        response.write('abc', () => response.destroy());
      },
    ],
    ['before its beginning', (_, response) => response.destroy()],
  ])('that is broken off %s is no answer', async (_, listener) => {
    await expect(exchange(await serving(listener))).rejects.toMatchObject({
      code: 'ECONNRESET',
      message: 'the connection was closed before the answer was complete',
    });
  });

  test('is handed on as it arrives, however long, where the answer is a success', async () => {
    let status = 200;
    const url = await serving((_, response) => response.writeHead(status).end('abcdef'));
    const seen: string[] = [];
    const ask = () => exchange(url, { maxBytes: 3, onData: (chunk) => seen.push(chunk.toString()) });
    expect((await ask()).body.toString()).toBe('');
    status = 500;
    await expect(ask()).rejects.toThrow('longer than 3 bytes');
    expect(seen.join('')).toBe('abcdef');
  });
});

describe('an exchange', () => {
  test('sends what it is given', async () => {
    const url = await serving(async (request, response) => {
      const body = (await request.toArray()).join('');
      response.end(JSON.stringify([request.method, request.url, request.headers['x-one'], body]));
    });
    const request = { method: 'PUT', headers: { 'x-one': '1' }, body: 'text' };
    const { status, body } = await exchange(`${url}/a%20b?c=d`, request);
    expect([status, JSON.parse(body.toString())]).toEqual([200, ['PUT', '/a%20b?c=d', '1', 'text']]);
  });

  test('does not follow a redirect', async () => {
    const url = await serving((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    const { status, headers } = await exchange(url);
    expect([status, headers['location']]).toEqual([302, '/elsewhere']);
  });

  test('connects to the address it is given, whatever the name is', async () => {
    const url = await serving((request, response) => response.end(request.headers.host));
    const named = url.replace('127.0.0.1', 'gatehouse.test');
    const { body } = await exchange(named, { pinned: { address: '127.0.0.1', family: 4 } });
    expect(body.toString()).toBe(new URL(named).host);
  });

  test.each([
    ['without a byte', () => ({ idleMs: 50 })],
    ['in whole', () => ({ signal: AbortSignal.timeout(50) })],
    ['that is over already', () => ({ signal: AbortSignal.abort() })],
  ])('has a time %s', async (_, limit) => {
    const url = await serving(() => {});
    await expect(exchange(url, limit())).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: 'no answer in time',
    });
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'nonsense', ''])(
    'is not tried with %j',
    async (url) => {
      await expect(exchange(url)).rejects.toThrow('not an http or https URL');
    },
  );
});

(certificate === undefined ? describe.skip : describe)('a server behind TLS', () => {
  const { key = '', cert = '' } = certificate ?? {};
  const ask = async (options: ConnectionOptions) => {
    const url = await servingTls({ key, cert });
    const connections = new Connections(new URL(url), options);
    return connections.send('/', {}).finally(() => connections.close());
  };

  test.each<[string, ConnectionOptions]>([
    ['by the certificate given', { caPem: cert }],
    ['by the certificate given, under the name given', { caPem: cert, serverName: 'gatehouse.test' }],
    ['unchecked where that is asked for', { verifyCertificate: false }],
  ])('is trusted %s', async (_, options) => {
    expect((await ask(options)).status).toBe(200);
  });

  // packages/secrets-service/test/auth/ca-pem.openbao.test.ts asks OpenBao the same.
  test.each([
    ['root', true],
    ['intermediate', true],
    ['leaf', true],
    ['stranger', false],
  ] as const)('is trusted by its %s alone: %p', async (which, isTrusted) => {
    const chain = makeCertificateChain();
    const url = await servingTls({ key: chain.key, cert: chain.cert });
    const answer = exchange(url, { caPem: chain[which] });
    if (isTrusted) expect((await answer).status).toBe(200);
    else await expect(answer).rejects.toThrow(/certificate/);
  });

  test('sees the certificate of the client', async () => {
    let shown: unknown;
    const options = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true };
    const url = await servingTls(options, (request, response) => {
      shown = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
      response.end();
    });
    const clientCertificate = { certificate: cert, key };
    const connections = new Connections(new URL(url), { caPem: cert, clientCertificate });
    await connections.send('/', {}).finally(() => connections.close());
    expect(shown).toBe('127.0.0.1');
  });

  test.each<[string, ConnectionOptions, string]>([
    ['without its certificate', { caPem: '' }, 'self-signed certificate'],
    [
      'under another name',
      { caPem: cert, serverName: 'other.test' },
      "Host: other.test. is not in the cert's",
    ],
  ])('is not trusted %s', async (_, options, message) => {
    await expect(ask(options)).rejects.toThrow(message);
  });
});
