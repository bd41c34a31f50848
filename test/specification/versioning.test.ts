import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceClient } from '../../client/service-client.ts';

describe('Versioning', () => {
  let server: Server;
  const asked: { url?: string; token?: unknown }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push({ url: request.url, token: request.headers['x-secrets-token'] });
      response.setHeader('content-type', 'application/json').end('{"data":{}}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  test('Versioning 2: endpoints of the secrets service are under /v1/', async () => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new ServiceClient({ address, dialect: 'neutral', token: 'root' });
    await client.read('auth/oidc/config');
    expect(asked).toEqual([{ url: '/v1/auth/oidc/config', token: 'root' }]);
  });
});
