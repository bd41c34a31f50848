import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readIssuer } from '../../providers/read-issuer.ts';

let server: Server | undefined;

async function serving(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  const open = server;
  server = undefined;
  open?.closeAllConnections();
  await new Promise((resolve) => (open === undefined ? resolve(undefined) : open.close(resolve)));
});

describe('readIssuer (interface.md B-4, method 1, step 2)', () => {
  test.each(['', '/'])(
    'reads the issuer of the well-known document, the address ending in %j',
    async (end) => {
      const asked: (string | undefined)[] = [];
      const address = await serving((request, response) => {
        asked.push(request.url);
        response.end(JSON.stringify({ issuer: 'https://oidc.cluster.example.com', jwks_uri: 'x' }));
      });
      expect(await readIssuer(`${address}${end}`)).toBe('https://oidc.cluster.example.com');
      expect(asked).toEqual(['/.well-known/openid-configuration']);
    },
  );

  test.each<[string, RequestListener, string]>([
    [
      'a cluster that lets nobody in who is not signed in',
      (_, response) => response.writeHead(403).end('{}'),
      'the document could not be read: the cluster answered 403',
    ],
    [
      'a redirect, which is not followed',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'the document could not be read: the cluster answered 302',
    ],
    ['a page', (_, response) => response.end('<html>'), 'this is no JSON document'],
    ['a document without an issuer', (_, response) => response.end('{}'), 'the document has no issuer'],
    [
      'an issuer that is no URL',
      (_, response) => response.end('{"issuer":"x"}'),
      'the document has no issuer',
    ],
    ['JSON that is no object', (_, response) => response.end('null'), 'the document has no issuer'],
    [
      'an endless document',
      (_, response) => response.end('x'.repeat(70_000)),
      'the document could not be read: it is longer than 65536 bytes',
    ],
    [
      'a connection that breaks',
      (_, response) => response.destroy(),
      'the document could not be read: socket hang up',
    ],
  ])('refuses %s', async (_, listener, said) => {
    const address = await serving(listener);
    await expect(readIssuer(address)).rejects.toMatchObject({
      code: 'issuer_unreadable',
      message: expect.stringContaining(`/.well-known/openid-configuration: ${said}`),
    });
  });

  test('refuses a cluster that is not there', async () => {
    const address = await serving((_, response) => response.end());
    const open = server;
    server = undefined;
    await new Promise((resolve) => open?.close(resolve));
    await expect(readIssuer(address)).rejects.toMatchObject({ code: 'issuer_unreadable' });
  });
});
