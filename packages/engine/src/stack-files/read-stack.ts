import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { isMap, isScalar, type Node } from 'yaml';
import { type Crypter, openCrypter, requirePassphrase } from '../passphrase.ts';
import { environmentUnsupported, secretsProviderUnsupported } from '../secrets-provider.ts';
import type { Stack } from '../stack.ts';
import {
  configValue,
  type DecryptAt,
  fullConfigKey,
  type RenderedValue,
  renderValue,
} from './config-value.ts';
import { type Project, readProject } from './project-file.ts';
import { entriesOf, readYamlFile, scalarOf, type YamlFile } from './yaml-file.ts';

/**
 * Reads a stack from `Pulumi.yaml` and `Pulumi.<stack>.yaml`, like Pulumi: with the project's defaults and secrets
 * decrypted with a passphrase (pulumi/pulumi `sdk/go/common/workspace/loading.go`, `config.go`). What only the Pulumi CLI
 * can read is refused: Pulumi ESC environments, and secrets of another secrets provider where there are any.
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
  const opened = await openStackFile(directory, name, { stackFolder });
  if (opened.importsAt !== undefined) throw environmentUnsupported(opened.importsAt);
  const config = await decrypted(opened, env);
  checkDeclared(config, opened.project, name);
  return stackOf(opened, config, env);
}

/**
 * Reads a stack without decrypting anything: each secret, or secrets that are encrypted as one, is its ciphertext.
 * This needs no passphrase and no secrets provider, does not resolve ESC environments, and reads only the defaults of what
 * the project declares.
 *
 * @throws GatehouseError as `readStack`, but for what is wrong with secrets and environments
 */
export async function readSealedStack(
  directory: string,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  return sealedStack(await openStackFile(directory, name), env);
}

/**
 * Reads several stacks of a project as `readSealedStack` does, and the project once. Leaves out stacks that cannot be read.
 */
export async function readSealedStacks(
  directory: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Stack[]> {
  const project = await readProject(resolve(directory)).catch(onlyKnown);
  if (project === undefined) return [];
  const files = names.map((name) => openStackFile(directory, name, { project }).catch(onlyKnown));
  return (await Promise.all(files)).flatMap((opened) =>
    opened === undefined ? [] : sealedStack(opened, env),
  );
}

/** @throws what is not a GatehouseError */
function onlyKnown(error: unknown): undefined {
  if (!(error instanceof GatehouseError)) throw error;
}

function sealedStack(opened: Awaited<ReturnType<typeof openStackFile>>, env: NodeJS.ProcessEnv): Stack {
  return { ...stackOf(opened, opened.sealed, env), ...(opened.encrypted && { isSealed: true }) };
}

async function openStackFile(
  directory: string,
  name: string,
  known: { project?: Project; stackFolder?: string | undefined } = {},
) {
  const folder = resolve(directory);
  const read = known.project ?? (await readProject(folder));
  const { stackFolder } = known;
  const project = stackFolder === undefined ? read : { ...read, stackFolder };
  const file = await readYamlFile(stackFilePath(project, name));
  if (file === undefined) throw await unknownStack(project, name);
  const stackFile = { file, project, ...readStackFile(file) };
  return { name, folder, ...stackFile, ...providerOf(stackFile) };
}

type StackFile = { file: YamlFile; project: Project } & ReturnType<typeof readStackFile>;

/**
 * The secrets provider of a stack, chosen as the CLI chooses it (pulumi/pulumi `pkg/cmd/pulumi/stack/secrets.go`). Pulumi
 * Cloud's own provider needs no key in the file.
 */
function providerOf(stackFile: StackFile): Pick<Stack, 'secretsProvider'> & {
  encrypted: Node | undefined;
  /** The configuration with each secret as its ciphertext. */
  sealed: Map<string, Configured>;
} {
  const { file, salt, provider } = stackFile;
  let first: { ciphertext: string; node: Node } | undefined;
  const sealed = render(stackFile, (ciphertext, node) => {
    first ??= { ciphertext, node };
    return ciphertext;
  });
  const encrypted = first?.node;
  const isOfCloud = salt === undefined && first !== undefined && !first.ciphertext.startsWith('v1:');
  const cloud = isOfCloud ? { name: 'Pulumi Cloud', where: file.at(encrypted) } : undefined;
  return { encrypted, sealed, secretsProvider: provider ?? cloud };
}

function stackOf(
  { name, folder, project, salt, secretsProvider, importsAt }: Awaited<ReturnType<typeof openStackFile>>,
  configured: Map<string, Configured>,
  env: NodeJS.ProcessEnv,
): Stack {
  const config: Stack['config'] = new Map();
  for (const [key, { value }] of project.config) {
    if (value) config.set(key, configValue(value));
  }
  for (const [key, { value }] of configured) config.set(key, configValue(value));
  return {
    directory: folder,
    project: project.name,
    main: project.main,
    name,
    config,
    encryptionSalt: salt,
    ...(secretsProvider && { secretsProvider }),
    ...(importsAt !== undefined && { importsAt }),
    home: resolve(env['GATEHOUSE_HOME'] || join(folder, '.gatehouse')),
  };
}

/** The names of the project's stack files, sorted. */
export async function listStacks(directory: string): Promise<string[]> {
  return stacksOf(await readProject(resolve(directory)));
}

/** @throws GatehouseError `stack_name_invalid` */
/** The path of a stack's file. */
export function stackFilePath(project: Pick<Project, 'stackFolder'>, name: string): string {
  // pulumi/pulumi `sdk/go/common/tokens/stack_name.go`. Also keeps the path in the folder.
  if (!/^[\w.-]{1,100}$/.test(name) || /^\.+$/.test(name)) {
    throw new GatehouseError('stack_name_invalid', {
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
  return new GatehouseError('stack_unknown', {
    given: name,
    allowed: known.length > 0 ? known.join(', ') : undefined,
    values: { name },
  });
}

function readStackFile(file: YamlFile) {
  const fields = entriesOf(file, file.root);
  const text = (name: string): string | undefined => {
    const node = fields.get(name)?.value ?? null;
    if (node === null) return undefined;
    const value = isScalar(node) ? scalarOf(file, node) : undefined;
    if (typeof value !== 'string')
      throw new GatehouseError('stack_file_invalid.text', { where: file.at(node), values: { name } });
    return value;
  };
  const known = ['config', 'encryptionsalt', 'secretsprovider', 'encryptedkey', 'environment'];
  for (const [name, { key }] of fields) {
    if (known.includes(name)) continue;
    throw new GatehouseError('stack_file_invalid.key_unknown', {
      where: file.at(key),
      allowed: known.join(', '),
      values: { name },
    });
  }
  const named = text('secretsprovider') ?? (fields.has('encryptedkey') ? 'one with an encrypted key' : '');
  const provider = ['', 'default', 'passphrase'].includes(named)
    ? undefined
    : {
        name: named,
        where: file.at((fields.get('secretsprovider') ?? fields.get('encryptedkey'))?.key),
      };
  const config = fields.get('config')?.value ?? null;
  const isEmpty = config === null || (isScalar(config) && scalarOf(file, config) === null);
  if (!isEmpty && !isMap(config)) {
    throw new GatehouseError('stack_file_invalid.config', { where: file.at(config) });
  }
  const environment = fields.get('environment');
  return {
    salt: text('encryptionsalt'),
    provider,
    importsAt: environment && file.at(environment.key),
    entries: entriesOf(file, isMap(config) ? config : undefined),
  };
}

interface Configured {
  value: RenderedValue;
  where: string;
}

async function decrypted(
  opened: Awaited<ReturnType<typeof openStackFile>>,
  env: NodeJS.ProcessEnv,
): Promise<Map<string, Configured>> {
  const { file, encrypted, secretsProvider, salt } = opened;
  if (encrypted === undefined) return render(opened, (ciphertext) => ciphertext);
  if (secretsProvider !== undefined) throw secretsProviderUnsupported(secretsProvider);
  const crypter = await crypterAt(file.at(encrypted), salt, env);
  return render(opened, (ciphertext, node) => {
    try {
      return crypter.decrypt(ciphertext);
    } catch (cause) {
      throw at(file.at(node), cause);
    }
  });
}

function render({ file, entries, project }: StackFile, decrypt: DecryptAt): Map<string, Configured> {
  const config = new Map<string, Configured>();
  for (const [key, { key: keyNode, value }] of entries) {
    const full = fullConfigKey(key, project.name);
    const where = file.at(keyNode);
    if (full === undefined) {
      throw new GatehouseError('stack_file_invalid.config_key', {
        where,
        allowed: '<name> or <namespace>:<name>',
        values: { key },
      });
    }
    const other = config.get(full);
    if (other !== undefined)
      throw new GatehouseError('stack_file_invalid.config_key_twice', {
        where,
        values: { key: full, first: other.where },
      });
    config.set(full, { value: renderValue(file, value, decrypt), where });
  }
  return config;
}

async function crypterAt(where: string, salt: string | undefined, env: NodeJS.ProcessEnv): Promise<Crypter> {
  if (salt === undefined) {
    throw new GatehouseError('stack_file_invalid.salt', { where });
  }
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
      throw new GatehouseError('config_type_wrong', {
        allowed: 'a secret',
        where: configured.where,
        values: { key: declared.key },
      });
    }
  }
  if (missing.length > 0) {
    throw new GatehouseError('config_missing', {
      given: `no ${missing.sort().join(', ')}`,
      values: { stack },
    });
  }
}
