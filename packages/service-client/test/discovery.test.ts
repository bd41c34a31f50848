import type { RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { servingEachTest } from '../../../test/harness/serving.ts';
import { readClusterKeys, readDiscovery, readIssuer, readKeys } from '../src/discovery.ts';

const serving = servingEachTest();

describe('readIssuer (docs/inside/specification.md B-4, method 1, step 2)', () => {
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
      'answers 403',
    ],
    [
      'a redirect, which is not followed',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'answers 302',
    ],
    ['a page', (_, response) => response.end('<html>'), 'is not JSON'],
    ['a document without an issuer', (_, response) => response.end('{}'), 'names no issuer'],
    ['an issuer that is no URL', (_, response) => response.end('{"issuer":"x"}'), 'names no issuer'],
    ['JSON that is no object', (_, response) => response.end('null'), 'names no issuer'],
    [
      'an endless document',
      (_, response) => response.end('x'.repeat(1024 * 1024 + 1)),
      'the answer is longer than 1048576 bytes',
    ],
    [
      'a connection that breaks',
      (_, response) => response.destroy(),
      'the connection was closed before the answer was complete',
    ],
  ])('refuses %s', async (_, listener, words) => {
    const address = await serving(listener);
    await expect(readIssuer(address)).rejects.toMatchObject({
      code: 'issuer_unreadable',
      message: expect.stringMatching(new RegExp(`"${address}/.well-known/openid-configuration":? ${words}`)),
    });
  });

  test('refuses a cluster that is not there', async () => {
    await expect(readIssuer('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'issuer_unreadable' });
  });
});

describe('readClusterKeys (docs/inside/specification.md B-4, method 2, step 1)', () => {
  test('reads the document at the API server, not where its own document points', async () => {
    const asked: (string | undefined)[] = [];
    const document = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x' }] };
    const address = await serving((request, response) => {
      asked.push(request.url);
      response.end(JSON.stringify(document));
    });
    expect(await readClusterKeys(`${address}/`)).toEqual(document);
    expect(asked).toEqual(['/openid/v1/jwks']);
  });

  test.each(['{}', '{"keys":[]}', 'null', '<html>'])('refuses %s', async (body) => {
    const address = await serving((_, response) => response.end(body));
    await expect(readClusterKeys(address)).rejects.toMatchObject({
      code: 'cluster_keys_unreadable',
      message: expect.stringContaining('is not a JWKS document'),
    });
  });

  test.each([401, 403])(
    'a cluster that answers %i: says what opens it, and what does without',
    async (status) => {
      const address = await serving((_, response) => response.writeHead(status).end('{}'));
      for (const read of [readClusterKeys, readIssuer]) {
        const { parts } = await read(address).catch((error) => error);
        expect(parts.what).toContain('callers who are not signed in');
        expect(parts.fix).toContain('kubectl create clusterrolebinding');
        expect(parts.fix).toContain('`cluster.openDiscovery: true`');
        expect(parts.fix).toContain('`jwksFile`');
      }
    },
  );
});

describe('what an issuer publishes', () => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

  test('is its document, with the time of the answer, and its keys', async () => {
    const url = await serving((request, response) => {
      const isKeys = request.url === '/keys';
      const body = isKeys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys`, more: 1 };
      response.setHeader('date', 'Fri, 20 Nov 2026 10:00:00 GMT').end(JSON.stringify(body));
    });
    expect(await readDiscovery({ url })).toEqual({
      document: { issuer: url, jwks_uri: `${url}/keys`, more: 1 },
      date: 'Fri, 20 Nov 2026 10:00:00 GMT',
    });
    expect(await readKeys({ url: `${url}/keys` })).toHaveLength(1);
  });

  test.each<[string, (url: string) => string, RegExp]>([
    [
      'names another issuer',
      () => '{"issuer":"https://other.example"}',
      /^issuer did not match the returned issuer, expected "/,
    ],
    [
      'names its issuer with a slash more',
      (url) => `{"issuer":"${url}/"}`,
      /^issuer did not match the returned issuer, expected "/,
    ],
    ['names no issuer', () => 'null', /^issuer did not match the returned issuer, expected "/],
    ['has no keys', (url) => `{"issuer":"${url}"}`, /has no jwks_uri$/],
    ['is a page', () => '<html>', /is not JSON$/],
  ])('is refused where the document %s', async (_, body, message) => {
    const url = await serving((__, response) => response.end(body(url)));
    await expect(readDiscovery({ url })).rejects.toThrow(message);
  });

  test('is refused where the keys are something else, or not there', async () => {
    let status = 200;
    const url = await serving((_, response) => response.writeHead(status).end('{}'));
    await expect(readKeys({ url })).rejects.toThrow('is not a JWKS document');
    status = 404;
    await expect(readKeys({ url })).rejects.toMatchObject({ status, message: `"${url}" answers 404` });
    await expect(readKeys({ url: 'nonsense' })).rejects.toThrow('GET "nonsense": not an http');
  });

  test('is read at the address given, whatever the name is', async () => {
    const address = await serving((request, response) => {
      const issuer = `http://${request.headers.host}`;
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    });
    const url = address.replace('127.0.0.1', 'issuer.test');
    const { document } = await readDiscovery({ url, pinned: { address: '127.0.0.1', family: 4 } });
    expect(document.issuer).toBe(url);
  });
});
