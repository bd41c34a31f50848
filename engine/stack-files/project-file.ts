import { join, relative } from 'node:path';
import { isMap, isScalar, type Node } from 'yaml';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { fullConfigKey, type ItemType, type RenderedValue, renderValue } from './config-value.ts';
import { entriesOf, invalid, readYamlFile, type YamlFile } from './yaml-file.ts';

/** `Pulumi.yaml`, as far as it says how a stack is configured (pulumi/pulumi `sdk/go/common/workspace/project.go`). */
export interface Project {
  name: string;
  /** The program's entry, relative to the project's folder. Defaults to ".". */
  main: string;
  /** Absolute path of the folder of the stack files. Defaults to the project's own. */
  stackFolder: string;
  /** Keys that the project declares for every stack, by full key. */
  config: Map<string, DeclaredConfig>;
}

/** A configuration key as the project declares it. */
export interface DeclaredConfig {
  /** The key as it is written, and where. */
  key: string;
  where: string;
  /** Used where a stack has no value of its own; absent for a key that every stack must have. */
  value?: RenderedValue;
  type?: string;
  /** Type of the elements of an array; may hold `items` in turn. */
  items?: ItemType;
  /** True when a stack must encrypt it. */
  secret: boolean;
}

/** @throws GatehouseError `project_missing`, `stack_file_invalid`, `runtime_unsupported` */
export async function readProject(directory: string): Promise<Project> {
  const file =
    (await readYamlFile(join(directory, 'Pulumi.yaml'))) ??
    (await readYamlFile(join(directory, 'Pulumi.yml')));
  if (file === undefined) {
    throw new GatehouseError({
      code: 'project_missing',
      what: 'There is no Pulumi.yaml here.',
      given: relative(process.cwd(), directory) || '.',
      fix: 'Run the command in the folder of the project, or give the folder with -C.',
    });
  }
  const entries = file.root
    ? entriesOf(file, file.root)
    : new Map<string, { key: Node; value: Node | null }>();
  const name = textAt(file, entries.get('name'));
  if (!name) throw invalid(file.at(file.root), 'The project has no `name`.');
  checkRuntime(file, entries.get('runtime'));
  const config = entries.get('config');
  // In older projects `config` names the folder of the stack files.
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

interface Entry {
  key: Node;
  value: Node | null;
}

function textAt(file: YamlFile, entry: Entry | undefined): string | undefined {
  if (entry === undefined || entry.value === null) return undefined;
  const rendered = renderValue(file, entry.value, undecryptable(file));
  if (rendered.kind !== 'scalar') throw invalid(file.at(entry.value), 'Expected a string.');
  return rendered.text === '' ? undefined : rendered.text;
}

function checkRuntime(file: YamlFile, entry: Entry | undefined): void {
  const node = entry?.value ?? null;
  const runtime = isMap(node) ? textAt(file, entriesOf(file, node).get('name')) : textAt(file, entry);
  if (runtime === 'nodejs') return;
  throw new GatehouseError({
    code: 'runtime_unsupported',
    what: 'The project’s program does not run on Node.js.',
    given: runtime ?? 'no runtime',
    allowed: 'nodejs',
    where: file.at(node ?? file.root),
  });
}

function readDeclarations(
  file: YamlFile,
  entry: Entry | undefined,
  project: string,
): Map<string, DeclaredConfig> {
  const declarations = new Map<string, DeclaredConfig>();
  if (!isMap(entry?.value)) return declarations;
  for (const [key, { key: keyNode, value }] of entriesOf(file, entry.value)) {
    const full = fullConfigKey(key, project);
    // Pulumi takes such keys for paths into another key's value.
    if (full === undefined || /[.[\]]/.test(key)) {
      throw invalid(file.at(keyNode), `\`${key}\` cannot be a configuration key of a project.`, {
        allowed: '<name> or <namespace>:<name>, without dots and brackets',
      });
    }
    declarations.set(full, { key, where: file.at(keyNode), ...readDeclaration(file, value) });
  }
  return declarations;
}

function readDeclaration(file: YamlFile, node: Node | null): Omit<DeclaredConfig, 'key' | 'where'> {
  if (!isMap(node)) return { value: renderValue(file, node, undecryptable(file)), secret: false };
  const fields = entriesOf(file, node);
  const value = fields.get('default') ?? fields.get('value');
  return {
    value: value && renderValue(file, value.value, undecryptable(file)),
    type: textAt(file, fields.get('type')),
    items: readItems(file, fields.get('items')),
    secret: textAt(file, fields.get('secret')) === 'true',
  };
}

function readItems(file: YamlFile, entry: Entry | undefined): ItemType | undefined {
  if (!isMap(entry?.value)) return undefined;
  const fields = entriesOf(file, entry.value);
  return { type: textAt(file, fields.get('type')) ?? '', items: readItems(file, fields.get('items')) };
}

/** A project file belongs to no stack, so nothing in it can have been encrypted by one. */
function undecryptable(file: YamlFile): (ciphertext: string, node: Node) => never {
  return (_, node) => {
    throw invalid(file.at(node), 'Encrypted values are only allowed in a stack file.');
  };
}
