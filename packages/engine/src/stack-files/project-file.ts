import { join, relative } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { isMap, isScalar, type Node } from 'yaml';
import { fullConfigKey, type RenderedValue, renderValue } from './config-value.ts';
import { type Entries, entriesOf, readYamlFile, type YamlFile } from './yaml-file.ts';

/** The parts of `Pulumi.yaml` used here (pulumi/pulumi `sdk/go/common/workspace/project.go`). */
export interface Project {
  name: string;
  /** The program's entry, relative to the project's folder. Defaults to ".". */
  main: string;
  /** Absolute path of the folder of the stack files. Defaults to the project's folder. */
  stackFolder: string;
  /** Keys that the project declares for every stack, by full key. */
  config: Map<string, DeclaredConfig>;
}

/** A configuration key that the project declares. Pulumi alone checks the types of values. */
interface DeclaredConfig {
  /** As written in the file. */
  key: string;
  /** The default; absent for a key that every stack must set. */
  value?: RenderedValue;
  /** Whether a stack must encrypt it. */
  secret: boolean;
}

/** @throws GatehouseError `project_missing`, `stack_file_invalid`, `runtime_unsupported` */
/** Reads `Pulumi.yaml`. */
export async function readProject(directory: string): Promise<Project> {
  const file =
    (await readYamlFile(join(directory, 'Pulumi.yaml'))) ??
    (await readYamlFile(join(directory, 'Pulumi.yml')));
  if (file === undefined) {
    throw new GatehouseError('project_missing', { given: relative(process.cwd(), directory) || '.' });
  }
  const entries = entriesOf(file, file.root);
  const name = textAt(file, entries.get('name'));
  if (!name) throw new GatehouseError('stack_file_invalid.project_name', { where: file.at(file.root) });
  checkRuntime(file, entries.get('runtime'));
  const config = entries.get('config');
  // In older projects, `config` is the folder of the stack files.
  const folder =
    textAt(file, entries.get('stackConfigDir')) ??
    (isScalar(config?.value) ? textAt(file, config) : undefined);
  return {
    name,
    main: textAt(file, entries.get('main')) ?? '.',
    stackFolder: join(directory, folder ?? '.'),
    config: readDeclarations(file, config, name),
  };
}

type YamlEntry = ReturnType<Entries['get']>;

function textAt(file: YamlFile, entry: YamlEntry): string | undefined {
  const node = entry?.value ?? null;
  const { isScalar: isText, value } = renderValue(file, node, undecryptable(file));
  if (!isText) throw new GatehouseError('stack_file_invalid.string', { where: file.at(node) });
  return value || undefined;
}

function checkRuntime(file: YamlFile, entry: YamlEntry): void {
  const node = entry?.value ?? null;
  const runtime = isMap(node) ? textAt(file, entriesOf(file, node).get('name')) : textAt(file, entry);
  if (runtime === 'nodejs') return;
  throw new GatehouseError('runtime_unsupported', {
    given: runtime ?? 'no runtime',
    allowed: 'nodejs',
    where: file.at(node ?? file.root),
  });
}

function readDeclarations(file: YamlFile, entry: YamlEntry, project: string): Project['config'] {
  const declarations: Project['config'] = new Map();
  if (!isMap(entry?.value)) return declarations;
  for (const [key, { key: keyNode, value }] of entriesOf(file, entry.value)) {
    const full = fullConfigKey(key, project);
    // Pulumi takes dots and brackets for a path into another key's value.
    if (full === undefined || /[.[\]]/.test(key)) {
      throw new GatehouseError('stack_file_invalid.project_key', {
        where: file.at(keyNode),
        allowed: '<name> or <namespace>:<name>, without dots and brackets',
        values: { key },
      });
    }
    declarations.set(full, { key, ...readDeclaration(file, value) });
  }
  return declarations;
}

function readDeclaration(file: YamlFile, node: Node | null): Omit<DeclaredConfig, 'key'> {
  if (!isMap(node)) return { value: renderValue(file, node, undecryptable(file)), secret: false };
  const fields = entriesOf(file, node);
  const value = fields.get('default') ?? fields.get('value');
  return {
    value: value && renderValue(file, value.value, undecryptable(file)),
    secret: fields.has('type') && textAt(file, fields.get('secret')) === 'true',
  };
}

/** Only stacks have the salt to encrypt values. */
function undecryptable(file: YamlFile): (ciphertext: string, node: Node) => never {
  return (_, node) => {
    throw new GatehouseError('stack_file_invalid.encrypted', { where: file.at(node) });
  };
}
