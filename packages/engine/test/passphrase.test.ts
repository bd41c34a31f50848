import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../../test/harness/processor-time.ts';
import {
  createCrypter,
  createCrypterOnUse,
  openCrypter,
  readPassphrase,
  requirePassphrase,
} from '../src/passphrase.ts';

/** From pulumi/pulumi `pkg/secrets/passphrase/manager_test.go`; its passphrase is "password". */
const salt = 'v1:fozI5u6B030=:v1:F+6ZduKKd8G0/V7L:PGMFeIzwobWRKmEAzUdaQHqC5mMRIQ==';

describe('the passphrase scheme (pkg/secrets/passphrase/manager.go, sdk/go/common/resource/config/crypt.go)', () => {
  test("Pulumi's own salt opens with its passphrase", async () => {
    expect((await openCrypter('password', salt)).salt).toBe(salt);
  });

  test("a value that Pulumi's scheme encrypted elsewhere decrypts", async () => {
    // From mheers/pulumi-helper `stack/crypt_test.go`, made with Pulumi's Go code.
    const crypter = await openCrypter(
      'foo',
      'v1:LAQ7P6sT/+w=:v1:WejwuMb5G4TZsR/r:xZvrv45hbT2QRrHCkQrepVv3xQfMjw==',
    );
    expect(crypter.decrypt('v1:6rgJQkU0YY5NFozT:HN1XFZSfr2YW1Pi1QtMfUJjad4w=')).toBe('test');
  });

  test('another passphrase is refused, without being named', async () => {
    await expect(openCrypter('password123', salt)).rejects.toMatchObject({
      code: 'passphrase_wrong',
      message: expect.not.stringContaining('password123'),
    });
  });

  test.each([
    ['no version', 'fozI5u6B030=:v1:F+6ZduL:PGMFeIzwobWRKmEAzUdaQHqC5mMRIQ=='],
    ['another version', 'v2:fozI5u6B030=:v1:F+6ZduKKd8G0/V7L:PGMFeIzwobWRKmEAzUdaQHqC5mMRIQ=='],
    ['no message', 'v1:fozI5u6B030='],
    ['nothing', ''],
  ])('a salt with %s is refused', async (_, malformed) => {
    await expect(openCrypter('password', malformed)).rejects.toMatchObject({
      code: 'encryption_salt_invalid',
    });
  });

  test('a new salt opens with the passphrase that made it', async () => {
    const created = await createCrypter('correct horse');
    const opened = await openCrypter('correct horse', created.salt);
    expect(opened.decrypt(created.encrypt('battery'))).toBe('battery');
  });

  test('a salt that is made where it is first used opens with its passphrase, and costs nothing before', async () => {
    const created = createCrypterOnUse('correct horse');
    // To derive its key takes more than a hundred.
    expect(await processorMs(() => createCrypterOnUse('correct horse'))).toBeLessThan(50);
    const sealed = created.encrypt('battery');
    const opened = await openCrypter('correct horse', created.salt);
    expect([opened.decrypt(sealed), created.decrypt(opened.encrypt('staple'))]).toEqual([
      'battery',
      'staple',
    ]);
  });

  test('a new salt is of 8 bytes and proves its passphrase', async () => {
    const [, bytes] = (await createCrypter('p')).salt.split(':');
    expect(Buffer.from(bytes!, 'base64')).toHaveLength(8);
  });

  test('every text survives a round trip', async () => {
    const crypter = await openCrypter('password', salt);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(crypter.decrypt(crypter.encrypt(text))).toBe(text);
      }),
    );
  });

  test('a ciphertext has the form v1:<nonce of 12 bytes>:<text and tag of 16>', async () => {
    const [version, nonce, sealed, ...rest] = (await openCrypter('password', salt)).encrypt('abc').split(':');
    expect([
      version,
      Buffer.from(nonce!, 'base64').length,
      Buffer.from(sealed!, 'base64').length,
      rest,
    ]).toEqual(['v1', 12, 3 + 16, []]);
  });

  test('the same text is never encrypted the same twice', async () => {
    const crypter = await openCrypter('password', salt);
    expect(crypter.encrypt('abc')).not.toBe(crypter.encrypt('abc'));
  });

  test('any changed byte of a ciphertext is noticed', async () => {
    const crypter = await openCrypter('password', salt);
    const sealed = Buffer.from(crypter.encrypt('a text').split(':')[2]!, 'base64');
    const nonce = crypter.encrypt('a text').split(':')[1];
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: sealed.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const changed = Buffer.from(sealed);
          changed[at]! ^= change;
          expect(() => crypter.decrypt(`v1:${nonce}:${changed.toString('base64')}`)).toThrow(
            /does not decrypt/,
          );
        },
      ),
    );
  });

  test.each([
    '',
    'plain',
    'v1:abc',
    'v2:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA==',
    'v1:AAAA:AAAA:AAAA',
    'v1:AAAA:AAAA',
  ])('%j is refused as a ciphertext', async (ciphertext) => {
    const crypter = await openCrypter('password', salt);
    expect(() => crypter.decrypt(ciphertext)).toThrow(
      expect.objectContaining({ code: 'ciphertext_invalid' }),
    );
  });
});

describe('where the passphrase comes from (manager.go, readPassphrase)', () => {
  test('PULUMI_CONFIG_PASSPHRASE comes first', async () => {
    const env = { PULUMI_CONFIG_PASSPHRASE: 'a', PULUMI_CONFIG_PASSPHRASE_FILE: '/nowhere' };
    expect(await readPassphrase(env)).toBe('a');
  });

  test('PULUMI_CONFIG_PASSPHRASE may be empty', async () => {
    expect(await readPassphrase({ PULUMI_CONFIG_PASSPHRASE: '' })).toBe('');
  });

  test('the file of PULUMI_CONFIG_PASSPHRASE_FILE is read, without the blanks around', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'gatehouse-')), 'passphrase');
    await writeFile(file, ' b\n');
    expect(await readPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: file })).toBe('b');
  });

  test('a file that cannot be read is an error', async () => {
    await expect(readPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: '/nowhere/at/all' })).rejects.toMatchObject({
      code: 'passphrase_file_unreadable',
    });
  });

  test('neither is an error where one is needed', async () => {
    await expect(requirePassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: '' })).rejects.toMatchObject({
      code: 'passphrase_missing',
    });
  });
});
