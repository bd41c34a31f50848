import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  pbkdf2,
  pbkdf2Sync,
  randomBytes,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { GatehouseError } from '@gatehouse/core/values';

/**
 * Pulumi's passphrase scheme, so that Pulumi can read stack files and exported state: PBKDF2 with SHA-256 and a million
 * rounds, AES-256-GCM (`pkg/secrets/passphrase/manager.go`, `sdk/go/common/resource/config/crypt.go`).
 */
export interface Crypter {
  /** `encryptionsalt` of the stack file: `v1:<salt>:v1:<nonce>:<ciphertext>`; the ciphertext is of "pulumi". */
  readonly salt: string;
  /** @returns `v1:<nonce>:<ciphertext and tag>`, in base64; never the same twice */
  encrypt(plaintext: string): string;
  /** @throws GatehouseError `ciphertext_invalid` if the value was changed or encrypted with another key */
  decrypt(ciphertext: string): string;
}

const rounds = 1_000_000;
const saltBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const proof = 'pulumi';

const derive = promisify(pbkdf2);

/** Deriving a key takes tenths of a second, so keys are kept by passphrase and salt. */
const keys = new Map<string, Promise<KeyObject>>();

/**
 * The passphrase from `PULUMI_CONFIG_PASSPHRASE` (which may be empty) or the file that `PULUMI_CONFIG_PASSPHRASE_FILE`
 * names; undefined if neither is set.
 *
 * @throws GatehouseError `passphrase_file_unreadable`
 */
export async function readPassphrase(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env['PULUMI_CONFIG_PASSPHRASE'] !== undefined) return env['PULUMI_CONFIG_PASSPHRASE'];
  const file = env['PULUMI_CONFIG_PASSPHRASE_FILE'];
  if (!file) return undefined;
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new GatehouseError('passphrase_file_unreadable', { given: file, cause });
  }
}

/** `readPassphrase`, or an error. @throws GatehouseError `passphrase_missing` */
export async function requirePassphrase(env: NodeJS.ProcessEnv, where?: string): Promise<string> {
  const passphrase = await readPassphrase(env);
  if (passphrase === undefined) throw passphraseMissing(where);
  return passphrase;
}

export function passphraseMissing(where?: string): GatehouseError {
  return new GatehouseError('passphrase_missing', { where });
}

/**
 * The crypter of a passphrase, for the salt of a stack file.
 *
 * @throws GatehouseError `passphrase_wrong`, `encryption_salt_invalid`
 */
export async function openCrypter(passphrase: string, salt: string): Promise<Crypter> {
  const [version, encoded, ...message] = salt.split(':');
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (version !== 'v1' || bytes.length === 0 || message.length !== 3) {
    throw new GatehouseError('encryption_salt_invalid', {
      allowed: 'v1:<salt>:v1:<nonce>:<ciphertext>, as Pulumi writes it',
    });
  }
  const key = await keyOf(passphrase, bytes);
  if (decryptWith(key, message.join(':')) !== proof) {
    throw new GatehouseError('passphrase_wrong');
  }
  return crypterOf(key, salt);
}

/** Makes a salt for a stack that has none. */
export async function createCrypter(passphrase: string): Promise<Crypter> {
  const bytes = randomBytes(saltBytes);
  return newCrypter(await keyOf(passphrase, bytes), bytes);
}

/**
 * The same for what may never need it: the salt is made, and the key derived, where one of them is first used. The process
 * waits for it then.
 */
export function createCrypterOnUse(passphrase: string): Crypter {
  let created: Crypter | undefined;
  const create = () => {
    const bytes = randomBytes(saltBytes);
    return newCrypter(createSecretKey(pbkdf2Sync(passphrase, bytes, rounds, 32, 'sha256')), bytes);
  };
  const crypter = () => {
    created ??= create();
    return created;
  };
  return {
    get salt() {
      return crypter().salt;
    },
    encrypt: (plaintext) => crypter().encrypt(plaintext),
    decrypt: (ciphertext) => crypter().decrypt(ciphertext),
  };
}

function newCrypter(key: KeyObject, bytes: Buffer): Crypter {
  return crypterOf(key, `v1:${bytes.toString('base64')}:${encryptWith(key, proof)}`);
}

function crypterOf(key: KeyObject, salt: string): Crypter {
  return {
    salt,
    encrypt: (plaintext) => encryptWith(key, plaintext),
    decrypt: (ciphertext) => {
      const plaintext = decryptWith(key, ciphertext);
      if (plaintext === undefined) {
        throw new GatehouseError('ciphertext_invalid');
      }
      return plaintext;
    },
  };
}

function keyOf(passphrase: string, salt: Buffer): Promise<KeyObject> {
  const name = `${createHash('sha256').update(passphrase).digest('base64')}:${salt.toString('base64')}`;
  let key = keys.get(name);
  if (key === undefined) {
    // Measured: a key object is four times as fast as its bytes.
    key = derive(passphrase, salt, rounds, 32, 'sha256').then(createSecretKey);
    keys.set(name, key);
  }
  return key;
}

function encryptWith(key: KeyObject, plaintext: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString('base64')}:${sealed.toString('base64')}`;
}

function decryptWith(key: KeyObject, value: string): string | undefined {
  const [version, encodedNonce = '', encodedSealed = '', ...rest] = value.split(':');
  const nonce = Buffer.from(encodedNonce, 'base64');
  const sealed = Buffer.from(encodedSealed, 'base64');
  const textBytes = sealed.length - tagBytes;
  if (version !== 'v1' || rest.length > 0 || nonce.length !== nonceBytes || textBytes < 0) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(textBytes));
  try {
    return decipher.update(sealed.subarray(0, textBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
