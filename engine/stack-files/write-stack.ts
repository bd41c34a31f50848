import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import { GatehouseError } from '../../core/model/values/errors.ts';
import {
  type Crypter,
  createCrypter,
  openCrypter,
  readPassphrase,
  requirePassphrase,
} from '../passphrase.ts';
import { type PropertyMap, type PropertyValue, Secret } from '../property-value.ts';
import { secretsProviderUnsupported } from '../secrets-provider.ts';
import type { Stack } from '../stack.ts';
import { withTopEntry } from './edit-map.ts';
import { readProject } from './project-file.ts';
import { stackFilePath } from './read-stack.ts';
import { replaceFile } from './replace-file.ts';
import { readYamlFile, resolvePlainScalar } from './yaml-file.ts';

/**
 * Writes the file of a new stack, with a new salt.
 *
 * @param config key → value; every `Secret` inside a value is encrypted
 * @returns the file's absolute path
 * @throws GatehouseError `stack_exists`, `stack_name_invalid`, `project_missing`, `passphrase_missing`
 */
export async function createStackFile(
  directory: string,
  name: string,
  config: PropertyMap,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const path = await newStackPath(directory, name);
  const crypter = await createCrypter(await requirePassphrase(env));
  const document = new Document({
    encryptionsalt: crypter.salt,
    ...(Object.keys(config).length > 0 && { config: encrypted(config, crypter) }),
  });
  try {
    await writeFile(path, render(document), { flag: 'wx' });
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? stackExists(name, path, cause) : cause;
  }
  return path;
}

/**
 * The absolute path of the file of a new stack.
 *
 * @throws GatehouseError `stack_exists`, `stack_name_invalid`, `project_missing`
 */
async function newStackPath(directory: string, name: string): Promise<string> {
  const path = stackFilePath(await readProject(resolve(directory)), name);
  if (existsSync(path)) throw stackExists(name, path);
  return path;
}

/**
 * Whether `createStackFile` could write the stack, before people are asked what goes into it.
 *
 * @throws GatehouseError `stack_exists`, `stack_name_invalid`, `project_missing`, `passphrase_missing`
 */
export async function checkNewStack(directory: string, name: string, env: NodeJS.ProcessEnv): Promise<void> {
  await newStackPath(directory, name);
  await requirePassphrase(env);
}

function stackExists(name: string, path: string, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'stack_exists',
    what: 'A stack of this name already exists.',
    given: name,
    fix: 'Choose another name, or edit the file.',
    where: relative(process.cwd(), path),
    cause,
  });
}

/**
 * Encrypts and decrypts the stack's secrets. If the stack has no salt, one is added to its file, like Pulumi does for a
 * new stack.
 *
 * @returns undefined if there is no passphrase. With another secrets provider, what uses it throws
 *   `secrets_provider_unsupported`
 * @throws GatehouseError `passphrase_wrong`
 */
export async function openStackCrypter(stack: Stack, env: NodeJS.ProcessEnv): Promise<Crypter | undefined> {
  const { secretsProvider } = stack;
  if (secretsProvider !== undefined) {
    const refuse = (): never => {
      throw secretsProviderUnsupported(secretsProvider);
    };
    return { salt: '', encrypt: refuse, decrypt: refuse };
  }
  const passphrase = await readPassphrase(env);
  if (passphrase === undefined) return undefined;
  if (stack.encryptionSalt !== undefined) return openCrypter(passphrase, stack.encryptionSalt);
  const crypter = await createCrypter(passphrase);
  await writeSalt(stack, crypter.salt);
  stack.encryptionSalt = crypter.salt;
  return crypter;
}

async function writeSalt(stack: Stack, salt: string): Promise<void> {
  const path = stackFilePath(await readProject(stack.directory), stack.name);
  const file = await readYamlFile(path);
  await replaceFile(path, withTopEntry(file?.text ?? '', file?.root, { key: 'encryptionsalt', value: salt }));
}

function render(document: Document): string {
  visit(document, {
    Scalar(_, node) {
      // Pulumi's parser may take strings that this library leaves unquoted for a number or a time.
      const { value } = node;
      if (node.source === undefined && typeof value === 'string' && resolvePlainScalar(value) !== value) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Plain data with `{secure: <ciphertext>}` in place of secrets. */
function encrypted(value: PropertyValue, crypter: Crypter): unknown {
  if (value instanceof Secret) {
    const plaintext = typeof value.value === 'string' ? value.value : JSON.stringify(value.value);
    return { secure: crypter.encrypt(plaintext) };
  }
  if (Array.isArray(value)) return value.map((element) => encrypted(element, crypter));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, encrypted(member, crypter)]),
  );
}
