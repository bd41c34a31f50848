import { isDeepStrictEqual } from 'node:util';
import { GatehouseError, objectIn } from '@gatehouse/core/values';
import { isMap, isNode, isScalar, type Node, type Pair, type YAMLMap } from 'yaml';
import { type Crypter, createCrypter, openCrypter, requirePassphrase } from '../passphrase.ts';
import { secretsProviderUnsupported } from '../secrets-provider.ts';
import type { Stack } from '../stack.ts';
import { fullConfigKey } from './config-value.ts';
import { withEntry, withFirstEntry, withoutEntry, withTopEntry } from './edit-map.ts';
import { readProject } from './project-file.ts';
import { stackFilePath } from './read-stack.ts';
import { replaceFile } from './replace-file.ts';
import { parseYamlFile, readYamlFile, resolvePlainScalar, type YamlFile } from './yaml-file.ts';

/**
 * Sets one secret in a stack's file, encrypted, or removes it. Everything else stays as it is written, and the file too
 * if it has this secret already. A file without an encryption salt gets one.
 *
 * @param key full key of a map of secrets, for example `gatehouse:clientSecrets`
 * @param value undefined removes it
 * @returns the file's absolute path
 * @throws GatehouseError `secrets_provider_unsupported`, `passphrase_missing`, `passphrase_wrong`; `stack_file_invalid` where the file is written in a
 *   way that this cannot change
 */
export async function writeSecret(
  stack: Stack,
  { key, name, value }: { key: string; name: string; value: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  requireWritable(stack, { key, name, isRemoved: value === undefined });
  const passphrase = await requirePassphrase(env);
  const path = stackFilePath(await readProject(stack.directory), stack.name);
  const file = (await readYamlFile(path)) ?? parseYamlFile(path, '');
  const crypter = await (stack.encryptionSalt === undefined
    ? createCrypter(passphrase)
    : openCrypter(passphrase, stack.encryptionSalt));
  const place = placeOf(file, stack.project, key);
  const text = edited(file, place, { key, name, value }, crypter);
  if (text === file.text) {
    if (value !== undefined) return path;
    throw new GatehouseError('stack_file_invalid.secret_elsewhere', {
      where: file.at(place.map?.value),
      values: { name, key },
    });
  }
  checkEdit(file, text, place, { key, name, value });
  const salt = { key: 'encryptionsalt', value: crypter.salt };
  const isNew = stack.encryptionSalt === undefined;
  // In one write, so that there is never a secret without its salt.
  await replaceFile(path, isNew ? withTopEntry(text, parseYamlFile(path, text).root, salt) : text);
  stack.encryptionSalt = crypter.salt;
  return path;
}

/** @throws GatehouseError `secrets_provider_unsupported`, with the command of the Pulumi CLI that does it */
/** Refuses to write a secret that Pulumi's own provider seals. */
export function requireWritable(
  { name: stack, secretsProvider }: Stack,
  { key, name, isRemoved = false }: { key: string; name: string; isRemoved?: boolean },
): void {
  if (secretsProvider === undefined) return;
  const path = `'${key}${/^[\w-]+$/.test(name) ? `.${name}` : `["${name}"]`}'`;
  const command = isRemoved ? `rm --path ${path}` : `set --secret --path ${path}`;
  throw secretsProviderUnsupported(secretsProvider, `pulumi config ${command} --stack ${stack}`);
}

interface SecretChange {
  key: string;
  name: string;
  value: string | undefined;
}

/** The entries of the file on the way to a secret, as far as they are there. */
interface SecretEntries {
  config?: Pair;
  map?: Pair;
}

function placeOf({ root }: YamlFile, project: string, key: string): SecretEntries {
  const config = root && entryOf(root, (name) => name === 'config');
  const map = isMap(config?.value)
    ? entryOf(config.value, (name) => fullConfigKey(name, project) === key)
    : undefined;
  return { ...(config && { config }), ...(map && { map }) };
}

function edited(
  file: YamlFile,
  { config, map }: SecretEntries,
  change: SecretChange,
  crypter: Crypter,
): string {
  const { text, root } = file;
  const { key, name, value } = change;
  const secure = (plaintext: string) => `{ secure: ${JSON.stringify(crypter.encrypt(plaintext))} }`;
  const whole = ciphertextIn(map?.value);
  if (whole !== undefined) {
    const { [name]: before, ...otherSecrets } = secretsIn(
      crypter.decrypt(scalarText(whole)),
      file.at(whole),
      key,
    );
    if (before === value) return text;
    const secrets = value === undefined ? otherSecrets : { ...otherSecrets, [name]: value };
    if (Object.keys(secrets).length > 0) {
      return replaced(text, whole, JSON.stringify(crypter.encrypt(JSON.stringify(secrets))));
    }
  }
  const inText = secretsInText(map?.value);
  if (inText !== undefined && isNode(map?.value) && value !== undefined) {
    const entries = Object.entries({ ...inText, [name]: value }).map(
      ([secretName, secret]) =>
        `${JSON.stringify(secretName)}: ${secretName === name ? secure(value) : JSON.stringify(secret)}`,
    );
    return replaced(text, map.value, `{ ${entries.join(', ')} }`);
  }
  const secrets = isMap(map?.value) && whole === undefined ? map.value : undefined;
  const own = secrets && entryOf(secrets, (entryName) => entryName === name);
  if (value === undefined) {
    const isLast = whole !== undefined || (own !== undefined && secrets?.items.length === 1);
    if (isLast && map !== undefined && isMap(config?.value)) return withoutEntry(text, config.value, map);
    return own === undefined || secrets === undefined ? text : withoutEntry(text, secrets, own);
  }
  if (own !== undefined) {
    const ciphertext = ciphertextIn(own.value);
    if (ciphertext === undefined) return replaced(text, own.value as Node | null, secure(value));
    if (isEncrypted(value, scalarText(ciphertext), crypter)) return text;
    return replaced(text, ciphertext, JSON.stringify(crypter.encrypt(value)));
  }
  const entry = { key: name, value: secure(value) };
  if (secrets !== undefined) return withEntry(text, secrets, entry);
  if (map !== undefined) return withFirstEntry(text, map, entry);
  const below = { key, value: entry };
  if (isMap(config?.value)) return withEntry(text, config.value, below);
  if (config !== undefined) return withFirstEntry(text, config, below);
  return withTopEntry(text, root, { key: 'config', value: below });
}

/** What Pulumi's CLI writes of a value given as JSON: one text. */
function secretsInText(node: unknown): Record<string, unknown> | undefined {
  return isScalar(node) ? objectIn(String(node.value)) : undefined;
}

function secretsIn(json: string, where: string, key: string): Record<string, unknown> {
  const secrets = objectIn(json);
  if (secrets !== undefined) return secrets;
  throw new GatehouseError('stack_file_invalid.secrets_encrypted', { where, values: { key } });
}

/** YAML can be written in more ways than are known here: where anything else would change, nothing is written. */
function checkEdit(
  file: YamlFile,
  text: string,
  { config, map }: SecretEntries,
  { key, name, value }: SecretChange,
): void {
  const written = asWritten(map?.key) ?? key;
  const isWhole = ciphertextIn(map?.value) !== undefined;
  const contentOf = (document: YamlFile['document']) => {
    const { config: values, ...topLevel } = filled(document.toJS());
    const { [written]: secrets, ...rest } = filled(values);
    const { [name]: own, ...kept } = isWhole ? {} : filled(secrets);
    return { isThere: isWhole || own !== undefined, untouched: [topLevel, rest, kept] };
  };
  try {
    const before = contentOf(file.document);
    const after = contentOf(parseYamlFile('', text).document);
    const isDone = value === undefined || after.isThere;
    if (isDone && isDeepStrictEqual(before.untouched, after.untouched)) return;
  } catch {
    // The text is no longer YAML.
  }
  throw new GatehouseError('stack_file_invalid.secret_unchangeable', {
    where: file.at(map?.value ?? config?.value),
    values: { name, key },
  });
}

/** The content of a map, or of a text that is a map in JSON. A key without a value holds nothing. */
function filled(value: unknown): Record<string, unknown> {
  const json = typeof value === 'string' ? objectIn(value) : undefined;
  if (json !== undefined) return json;
  const isEmpty = typeof value === 'string' ? resolvePlainScalar(value) === null : value === undefined;
  return isEmpty ? {} : typeof value === 'object' ? { ...value } : { value };
}

function entryOf(map: YAMLMap, isIt: (name: string) => boolean): Pair | undefined {
  return map.items.find(({ key }) => isIt(asWritten(key) ?? ''));
}

function asWritten(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function ciphertextIn(node: unknown): Node | undefined {
  if (!isMap(node) || node.items.length !== 1) return undefined;
  const value = entryOf(node, (name) => name === 'secure')?.value;
  return isScalar(value) ? value : undefined;
}

function scalarText(node: Node): string {
  return isScalar(node) ? String(node.value) : '';
}

function isEncrypted(value: string, ciphertext: string, crypter: Crypter): boolean {
  try {
    return crypter.decrypt(ciphertext) === value;
  } catch {
    // Broken, and about to be replaced.
    return false;
  }
}

function replaced(text: string, node: Node | null, by: string): string {
  const [start = text.length, end = start] = node?.range ?? [];
  // A block scalar ends with its line.
  const after = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, start)}${by}${after}${text.slice(end)}`;
}
