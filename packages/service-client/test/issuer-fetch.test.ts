import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { certificate } from '../../../test/harness/certificate.ts';
import { listen } from '../../host/src/listen.ts';
import { isCaPem } from '../../secrets-service/src/auth/config-path.ts';
import { issuerFetch } from '../src/issuer-fetch.ts';

if (certificate === undefined) console.warn('Tests of issuers behind TLS are skipped: there is no openssl.');

(certificate === undefined ? describe.skip : describe)('an issuer behind TLS', () => {
  const { key = '', cert = '' } = certificate ?? {};
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer({ key, cert }, (_, response) => {
      response.end('{}');
    });
    url = `https://127.0.0.1:${await listen(server, 0)}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test('is trusted by the certificate that was configured', async () => {
    expect(await (await issuerFetch(url, { caPem: cert })).json()).toEqual({});
  });

  test('is not trusted without it', async () => {
    await expect(issuerFetch(url, { caPem: '' })).rejects.toThrow('self-signed certificate');
  });

  test('has a certificate that is one', () => {
    expect([isCaPem(cert), isCaPem(key), isCaPem('')]).toEqual([true, false, false]);
  });
});
