import { isMap, isScalar, type Node, type YAMLMap } from 'yaml';
import { passphraseMissing } from '../passphrase.ts';
import type { Stack } from '../stack.ts';
import { fullConfigKey } from './config-value.ts';
import { readProject } from './project-file.ts';
import { stackFilePath } from './read-stack.ts';
import { replaceFile } from './replace-file.ts';
import { openStackCrypter } from './write-stack.ts';
import { entriesOf, invalid, readYamlFile, type YamlFile } from './yaml-file.ts';

/**
 * Replaces one secret in a stack's file, encrypted; everything else stays as it is written, and the file too if it has
 * this secret already.
 *
 * @param key full key of a map of secrets, for example `gatehouse:clientSecrets`
 * @param name of a secret that is there
 * @returns the file's absolute path
 * @throws GatehouseError `passphrase_missing`, `passphrase_wrong`; `stack_file_invalid` where the secret does not stand in
 *   the file itself
 */
export async function writeSecret(
  stack: Stack,
  { key, name, value }: { key: string; name: string; value: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const crypter = await openStackCrypter(stack, env);
  if (crypter === undefined) throw passphraseMissing();
  const path = stackFilePath(await readProject(stack.directory), stack.name);
  const file = await readYamlFile(path);
  const place = file && placeOf(file, stack, key, name);
  if (file === undefined || place === undefined) {
    throw invalid(file?.at(file.root) ?? path, `\`${name}\` does not stand below \`${key}\` in this file.`, {
      fix: `Set it with: pulumi config set --secret --path '${key}.${name}'`,
    });
  }
  const known: Record<string, unknown> = JSON.parse(stack.config.get(key)?.value ?? '{}');
  if (known[name] === value) return path;
  const { text } = file;
  const { node, isCiphertext, holdsAll } = place;
  const plaintext = holdsAll ? JSON.stringify({ ...known, [name]: value }) : value;
  const ciphertext = JSON.stringify(crypter.encrypt(plaintext));
  const [start, end] = node.range ?? [0, 0];
  const written = isCiphertext ? ciphertext : `{ secure: ${ciphertext} }`;
  // A block scalar ends with its line.
  const after = text.slice(start, end).endsWith('\n') ? '\n' : '';
  await replaceFile(path, `${text.slice(0, start)}${written}${after}${text.slice(end)}`);
  return path;
}

interface Place {
  node: Node;
  /** It is what `secure:` holds; else a value in the clear, or an alias. */
  isCiphertext: boolean;
  /** All secrets of the map are encrypted as one. */
  holdsAll: boolean;
}

function placeOf(file: YamlFile, { project }: Stack, key: string, name: string): Place | undefined {
  const config = entriesOf(file, file.root).get('config')?.value;
  if (!isMap(config)) return undefined;
  const own = config.items.find(
    ({ key: one }) => isScalar(one) && fullConfigKey(String(one.value), project) === key,
  );
  if (own === undefined || !isMap(own.value)) return undefined;
  const whole = ciphertextIn(own.value);
  if (whole !== undefined) return { node: whole, isCiphertext: true, holdsAll: true };
  const value = valueIn(own.value, name);
  if (value === undefined) return undefined;
  const ciphertext = ciphertextIn(value);
  return { node: ciphertext ?? value, isCiphertext: ciphertext !== undefined, holdsAll: false };
}

/** The value of a name that stands in a map itself, not in one that is merged into it. */
function valueIn(map: YAMLMap, name: string): Node | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
  return (pair?.value as Node | null) ?? undefined;
}

function ciphertextIn(node: Node): Node | undefined {
  if (!isMap(node) || node.items.length !== 1) return undefined;
  const value = valueIn(node, 'secure');
  return isScalar(value) ? value : undefined;
}
