import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { isSystemError } from '../system-error.ts';
import { resolvePlainScalar, type YamlScalar } from './yaml-scalar.ts';

/** A YAML file with the places of its nodes; scalars are resolved by `scalarOf`, as Pulumi resolves them. */
export interface YamlFile {
  document: Document.Parsed;
  /** Undefined for an empty file. @throws GatehouseError `stack_file_invalid` unless the file is a mapping */
  root: YAMLMap | undefined;
  /** `Pulumi.dev.yaml:3:5` */
  at(node: unknown): string;
}

/** @returns undefined when there is no such file. @throws GatehouseError `stack_file_invalid` for YAML that is none */
export async function readYamlFile(path: string): Promise<YamlFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT')) return undefined;
    throw cause;
  }
  return parseYamlFile(path, text);
}

export function parseYamlFile(path: string, text: string): YamlFile {
  const lines = new LineCounter();
  const name = basename(path);
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  // Resolving is ours to do: the failsafe schema leaves every scalar as it is written.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem) throw invalid(place(problem.pos[0]), `This is not valid YAML: ${problem.message}`);
  const at = (node: unknown): string => (isNode(node) && node.range ? place(node.range[0]) : name);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && scalarOf({ at }, contents) === null)) {
    return { document, root: undefined, at };
  }
  if (!isMap(contents)) throw invalid(at(contents), 'The file must be a mapping of keys to values.');
  return { document, root: contents, at };
}

export function invalid(
  where: string,
  what: string,
  more?: { allowed?: string; fix?: string },
): GatehouseError {
  return new GatehouseError({ code: 'stack_file_invalid', what, where, ...more });
}

/** What an alias stands for; any other node is itself. A key without a value answers null. */
export function resolved(file: YamlFile, node: unknown): Node | null {
  if (isAlias(node)) return (node as Alias).resolve(file.document) ?? null;
  return isNode(node) ? node : null;
}

/** @throws GatehouseError `stack_file_invalid` for a tag other than `!!str` */
export function scalarOf(file: Pick<YamlFile, 'at'>, node: Scalar): YamlScalar {
  if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str') {
    throw invalid(file.at(node), `The YAML tag ${node.tag} is not supported.`, { allowed: '!!str' });
  }
  const text = String(node.value ?? '');
  return node.type === Scalar.PLAIN && node.tag === undefined ? resolvePlainScalar(text) : text;
}

/** The entries of a mapping, merge keys (`<<`) applied. @throws GatehouseError `stack_file_invalid` for keys that are no text */
export function entriesOf(file: YamlFile, map: YAMLMap): Map<string, { key: Node; value: Node | null }> {
  const entries = new Map<string, { key: Node; value: Node | null }>();
  const merged: Node[] = [];
  for (const { key, value } of map.items) {
    const keyNode = resolved(file, key);
    const valueNode = resolved(file, value);
    if (!isScalar(keyNode)) throw invalid(file.at(key), 'A key must be a text.');
    if (keyNode.value === '<<' && keyNode.type === Scalar.PLAIN) {
      if (valueNode) merged.push(valueNode);
      continue;
    }
    const name = scalarOf(file, keyNode);
    if (typeof name !== 'string') {
      throw invalid(file.at(key), 'A key must be a text.', { fix: 'Put the key in quotes.' });
    }
    entries.set(name, { key: keyNode, value: valueNode });
  }
  for (const source of merged.flatMap((node) => mergeSources(file, node))) {
    for (const [name, entry] of entriesOf(file, source)) if (!entries.has(name)) entries.set(name, entry);
  }
  return entries;
}

function mergeSources(file: YamlFile, node: Node): YAMLMap[] {
  const candidates = 'items' in node && !isMap(node) ? (node.items as unknown[]) : [node];
  return candidates.map((candidate) => {
    const source = resolved(file, candidate);
    if (!isMap(source)) throw invalid(file.at(node), 'A merge key (<<) must name mappings.');
    return source;
  });
}
