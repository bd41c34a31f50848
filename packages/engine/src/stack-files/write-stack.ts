import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import {
  type Crypter,
  createCrypter,
  createCrypterOnUse,
  openCrypter,
  readPassphrase,
  requirePassphrase,
} from '../passphrase.ts';
import { secretsProviderUnsupported } from '../secrets-provider.ts';
import type { Stack } from '../stack.ts';
import { withTopEntry } from './edit-map.ts';
import { readProject } from './project-file.ts';
import { stackFilePath } from './read-stack.ts';
import { replaceFile } from './replace-file.ts';
import { readYamlFile } from './yaml-file.ts';

/**
 * Writes the file of a new stack that declares nothing yet, with a new salt.
 *
 * @returns the file's absolute path
 * @throws GatehouseError `stack_exists`, `stack_name_invalid`, `project_missing`, `passphrase_missing`
 */
export async function createStackFile(
  directory: string,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const path = stackFilePath(await readProject(resolve(directory)), name);
  const { salt } = await createCrypter(await requirePassphrase(env));
  try {
    await writeFile(path, `encryptionsalt: ${salt}\n`, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new GatehouseError('stack_exists', { given: name, where: relative(process.cwd(), path), cause });
  }
  return path;
}

/**
 * Encrypts and decrypts the stack's secrets. If the stack has no salt, one is added to its file before something is applied,
 * like Pulumi does for a new stack. What only looks writes nothing, and seldom has anything to encrypt.
 *
 * @param isApplying whether the salt of a stack that has none is kept. Defaults to true.
 * @returns undefined if there is no passphrase. With another secrets provider, what uses it throws
 *   `secrets_provider_unsupported`
 * @throws GatehouseError `passphrase_wrong`
 */
export async function openStackCrypter(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  isApplying = true,
): Promise<Crypter | undefined> {
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
  if (!isApplying) return createCrypterOnUse(passphrase);
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
