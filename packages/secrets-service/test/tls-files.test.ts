import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { certificate as generated } from '../../../test/harness/certificate.ts';
import { MemoryStorage } from '../../../test/harness/memory-storage.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { startSecretsService } from '../src/server.ts';
import { readTlsFiles } from '../src/tls-files.ts';

describe('certificate and key from files', () => {
  const folder = temporaryFolder();
  const file = (name: string, text = '') => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [certificate, key] = [file('cert.pem', generated?.cert), file('key.pem', generated?.key)];

  test('that are right start a server with TLS', async () => {
    const tls = await readTlsFiles({ certificate, key });
    const server = await startSecretsService({ storage: new MemoryStorage(), tls });
    await server.close();
    expect(server.address).toMatch(/^https:/);
  });

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const encrypted = privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  }) as string;
  test.each([
    ['a certificate that is not there', () => ({ certificate: join(folder, 'none'), key }), 'cannot be read'],
    ['a key that is a folder', () => ({ certificate, key: folder }), 'cannot be read'],
    ['a certificate that is a key', () => ({ certificate: key, key }), 'not a certificate in PEM form'],
    [
      'a key that is a certificate',
      () => ({ certificate, key: certificate }),
      'not a private key in PEM form',
    ],
    ['an empty key', () => ({ certificate, key: file('empty') }), 'not a private key in PEM form'],
    ['another key', () => ({ certificate, key: file('other', other) }), 'does not match the certificate'],
    ['a key with a passphrase', () => ({ certificate, key: file('locked', encrypted) }), 'has a passphrase'],
  ])('%s is a clear error', async (_, files, text) => {
    await expect(readTlsFiles(files())).rejects.toThrow(text);
  });

  test.each([
    ['has passed', 40 * 86_400_000],
    ['is still to come', -86_400_000],
  ])('a certificate whose time %s is a clear error', async (_, later) => {
    await expect(readTlsFiles({ certificate, key }, Date.now() + later)).rejects.toMatchObject({
      code: 'tls_invalid',
      message: expect.stringContaining('valid from 20'),
    });
  });

  test('no error holds what the files hold', async () => {
    const files = { certificate: file('swapped', other), key: certificate };
    const error = await readTlsFiles(files).catch((thrown: Error) => thrown);
    expect(String((error as Error).stack)).not.toContain(other.split('\n')[1]);
  });
});
