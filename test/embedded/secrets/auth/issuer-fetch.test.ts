import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isCaPem, issuerFetch } from '../../../../embedded/secrets/auth/issuer-fetch.ts';
import { listen } from '../../../../web/listen.ts';

/** A certificate of our own for 127.0.0.1; undefined on a machine without openssl. */
const certificate = makeCertificate();
if (certificate === undefined) console.warn('Tests of issuers behind TLS are skipped: there is no openssl.');

function makeCertificate(): { key: string; cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...out, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'nonsense', ''])('%j is not fetched', async (url) => {
  await expect(issuerFetch(url, { caPem: '' })).rejects.toThrow('is no http or https URL');
});
