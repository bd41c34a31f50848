import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tlsOptions } from '../src/tls-options.ts';

test('without variables the system’s certificates are trusted and checked', () => {
  expect(tlsOptions({})).toEqual({ verifyCertificate: true });
});

test('VAULT_CACERT names the file of the certificates to trust', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  try {
    await writeFile(join(folder, 'ca.pem'), 'PEM');
    const variables = { VAULT_CACERT: join(folder, 'ca.pem'), VAULT_TLS_SERVER_NAME: 'secrets' };
    expect(tlsOptions(variables)).toEqual({ caPem: 'PEM', serverName: 'secrets', verifyCertificate: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file that cannot be read is refused by its name', () => {
  expect(() => tlsOptions({ VAULT_CACERT: '/nowhere/ca.pem' })).toThrow(/nowhere/);
});

test.each(['1', 't', 'true', 'TRUE'])('VAULT_SKIP_VERIFY=%s checks nothing', (value) => {
  expect(tlsOptions({ VAULT_SKIP_VERIFY: value }).verifyCertificate).toBe(false);
});
