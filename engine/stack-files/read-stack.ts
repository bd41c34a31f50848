import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isMap, isScalar, type Node } from 'yaml';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type Crypter, openCrypter, requirePassphrase } from '../passphrase.ts';
import type { Stack } from '../stack.ts';
import { type DecryptAt, fullConfigKey, type RenderedValue, renderValue } from './config-value.ts';
import { type Project, readProject } from './project-file.ts';
import { type Entries, entriesOf, invalid, readYamlFile, scalarOf, type YamlFile } from './yaml-file.ts';

/**
 * Reads a stack from `Pulumi.yaml` and `Pulumi.<stack>.yaml`, like Pulumi: with the project's defaults and decrypted
 * secrets (pulumi/pulumi `sdk/go/common/workspace/loading.go`, `config.go`).
 *
 * @param directory the folder that holds `Pulumi.yaml`
 * @param env `PULUMI_CONFIG_PASSPHRASE`, `PULUMI_CONFIG_PASSPHRASE_FILE`, `GATEHOUSE_HOME`
 * @throws GatehouseError `project_missing`, `stack_unknown`, `stack_name_invalid`, `stack_file_invalid`,
 *   `config_missing`, `config_type_wrong`, `secrets_provider_unsupported`, `stack_environment_unsupported`,
 *   `runtime_unsupported`, `passphrase_missing`, `passphrase_wrong`, `ciphertext_invalid`
 */
export async function readStack(
  directory: string,
  name: string,
  env: NodeJS.ProcessEnv,
  stackFolder?: string,
): Promise<Stack> {
  const opened = await openStackFile(directory, name, stackFolder);
  const { file, entries, project, salt } = opened;
  const config = await decrypted(file, entries, project, salt, env);
  checkDeclared(config, project, name);
  return stackOf(opened, config, env);
}

/**
 * Reads a stack without decrypting anything: each secret is an empty text, and so are secrets that are encrypted as
 * one. It needs no passphrase, and does not look at what the project declares but for its defaults.
 *
 * @param standIn gives another text for a secret
 * @throws GatehouseError as `readStack`, but for what is wrong with secrets
 */
export async function readStackWithoutSecrets(
  directory: string,
  name: string,
  env: NodeJS.ProcessEnv,
  standIn: (ciphertext: string) => string = () => '',
): Promise<Stack> {
  const opened = await openStackFile(directory, name);
  const { file, entries, project } = opened;
  return stackOf(opened, render(file, entries, project, standIn), env);
}

async function openStackFile(directory: string, name: string, stackFolder?: string) {
  const folder = resolve(directory);
  const read = await readProject(folder);
  const project = stackFolder === undefined ? read : { ...read, stackFolder };
  const file = await readYamlFile(stackFilePath(project, name));
  if (file === undefined) throw await unknownStack(project, name);
  return { name, folder, project, file, ...readStackFile(file) };
}

function stackOf(
  { name, folder, project, salt }: Awaited<ReturnType<typeof openStackFile>>,
  configured: Map<string, Configured>,
  env: NodeJS.ProcessEnv,
): Stack {
  const config: Stack['config'] = new Map();
  for (const [key, { value }] of project.config) {
    if (value) config.set(key, { value: value.value, secret: value.secret });
  }
  for (const [key, { value }] of configured) config.set(key, { value: value.value, secret: value.secret });
  return {
    directory: folder,
    project: project.name,
    main: project.main,
    name,
    config,
    encryptionSalt: salt,
    home: resolve(env['GATEHOUSE_HOME'] || join(folder, '.gatehouse')),
  };
}

/** The names of the project's stack files, sorted. */
export async function listStacks(directory: string): Promise<string[]> {
  return stacksOf(await readProject(resolve(directory)));
}

/** @throws GatehouseError `stack_name_invalid` */
export function stackFilePath(project: Pick<Project, 'stackFolder'>, name: string): string {
  // pulumi/pulumi `sdk/go/common/tokens/stack_name.go`. Also keeps the path in the folder.
  if (!/^[\w.-]{1,100}$/.test(name) || /^\.+$/.test(name)) {
    throw new GatehouseError({
      code: 'stack_name_invalid',
      what: 'Not a valid stack name.',
      given: name,
      allowed: 'up to 100 letters, digits, dots, hyphens and underscores',
    });
  }
  return join(project.stackFolder, `Pulumi.${name}.yaml`);
}

async function stacksOf(project: Project): Promise<string[]> {
  const files = await readdir(project.stackFolder).catch(() => []);
  return files.flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []).sort();
}

async function unknownStack(project: Project, name: string): Promise<GatehouseError> {
  const known = await stacksOf(project);
  return new GatehouseError({
    code: 'stack_unknown',
    what: `There is no stack of this name: Pulumi.${name}.yaml does not exist.`,
    given: name,
    allowed: known.length > 0 ? known.join(', ') : undefined,
    fix: `Make one with \`gatehouse init ${name}\`.`,
  });
}

function readStackFile(file: YamlFile): { salt: string | undefined; entries: Entries } {
  const fields = entriesOf(file, file.root);
  const text = (name: string): string | undefined => {
    const node = fields.get(name)?.value ?? null;
    if (node === null) return undefined;
    const value = isScalar(node) ? scalarOf(file, node) : undefined;
    if (typeof value !== 'string') throw invalid(file.at(node), `\`${name}\` must be a text.`);
    return value;
  };
  for (const [name, { key }] of fields) {
    if (name === 'environment') {
      throw new GatehouseError({
        code: 'stack_environment_unsupported',
        what: 'This stack imports Pulumi ESC environments (`environment:`), which are not read here.',
        fix: 'Write the values into `config:`, or run `pulumi` itself.',
        where: file.at(key),
      });
    }
    if (!['config', 'encryptionsalt', 'secretsprovider', 'encryptedkey'].includes(name)) {
      throw invalid(file.at(key), `\`${name}\` is not a known key of a stack file.`, {
        allowed: 'config, encryptionsalt, secretsprovider',
      });
    }
  }
  const provider = text('secretsprovider') ?? (fields.has('encryptedkey') ? 'one with an encrypted key' : '');
  if (!['', 'default', 'passphrase'].includes(provider)) {
    throw new GatehouseError({
      code: 'secrets_provider_unsupported',
      what: "The stack's secrets are not encrypted with a passphrase.",
      given: provider,
      allowed: 'passphrase',
      fix: 'Change it with `pulumi stack change-secrets-provider passphrase`, or run `pulumi` itself.',
      where: file.at((fields.get('secretsprovider') ?? fields.get('encryptedkey'))?.key),
    });
  }
  const config = fields.get('config')?.value ?? null;
  const isEmpty = config === null || (isScalar(config) && scalarOf(file, config) === null);
  if (!isEmpty && !isMap(config)) {
    throw invalid(file.at(config), '`config` must be a mapping of keys to values.');
  }
  return { salt: text('encryptionsalt'), entries: entriesOf(file, isMap(config) ? config : undefined) };
}

interface Configured {
  value: RenderedValue;
  where: string;
}

async function decrypted(
  file: YamlFile,
  entries: Entries,
  project: Project,
  salt: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Map<string, Configured>> {
  let encrypted: Node | undefined;
  const notice = (_: string, node: Node): string => {
    encrypted ??= node;
    return '';
  };
  const config = render(file, entries, project, notice);
  if (encrypted === undefined) return config;
  const crypter = await crypterAt(file.at(encrypted), salt, env);
  return render(file, entries, project, (ciphertext, node) => {
    try {
      return crypter.decrypt(ciphertext);
    } catch (cause) {
      throw at(file.at(node), cause);
    }
  });
}

function render(
  file: YamlFile,
  entries: Entries,
  project: Project,
  decrypt: DecryptAt,
): Map<string, Configured> {
  const config = new Map<string, Configured>();
  for (const [key, { key: keyNode, value }] of entries) {
    const full = fullConfigKey(key, project.name);
    const where = file.at(keyNode);
    if (full === undefined) {
      throw invalid(where, `\`${key}\` is not a configuration key.`, {
        allowed: '<name> or <namespace>:<name>',
      });
    }
    const other = config.get(full);
    if (other !== undefined) throw invalid(where, `\`${full}\` is given twice, first at ${other.where}.`);
    config.set(full, { value: renderValue(file, value, decrypt), where });
  }
  return config;
}

async function crypterAt(where: string, salt: string | undefined, env: NodeJS.ProcessEnv): Promise<Crypter> {
  if (salt === undefined) throw invalid(where, 'A value is encrypted, but the file has no `encryptionsalt`.');
  const passphrase = await requirePassphrase(env, where);
  try {
    return await openCrypter(passphrase, salt);
  } catch (cause) {
    throw at(where, cause);
  }
}

/** Adds the position in the file to an error. */
function at(where: string, cause: unknown): unknown {
  if (!(cause instanceof GatehouseError)) return cause;
  return new GatehouseError({ ...cause.parts, where: cause.parts.where ?? where });
}

function checkDeclared(config: Map<string, Configured>, project: Project, stack: string): void {
  const missing: string[] = [];
  for (const [full, declared] of project.config) {
    const configured = config.get(full);
    if (configured === undefined) {
      if (!declared.value && full.startsWith(`${project.name}:`)) missing.push(declared.key);
    } else if (declared.secret && !configured.value.secret) {
      throw new GatehouseError({
        code: 'config_type_wrong',
        what: `\`${declared.key}\` must be encrypted.`,
        allowed: 'a secret',
        where: configured.where,
      });
    }
  }
  if (missing.length > 0) {
    throw new GatehouseError({
      code: 'config_missing',
      what: `The stack ${stack} lacks configuration that the project requires.`,
      given: `no ${missing.sort().join(', ')}`,
      fix: `Add it to Pulumi.${stack}.yaml.`,
    });
  }
}
