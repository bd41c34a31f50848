import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readYaml } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { isAlias, isMap, isNode, isScalar, type Node, Scalar, type YAMLMap } from 'yaml';

/** A YAML file with the positions of its nodes. `scalarOf` resolves scalars like Pulumi. */
export interface YamlFile extends Omit<ReturnType<typeof readYaml>, 'place'> {
  text: string;
  /** Undefined for an empty file. @throws GatehouseError `stack_file_invalid` unless the file is a mapping */
  root: YAMLMap | undefined;
  /** `Pulumi.dev.yaml:3:5` */
  at(node: unknown): string;
}

/** @returns undefined if the file does not exist. @throws GatehouseError `stack_file_invalid` */
export async function readYamlFile(path: string): Promise<YamlFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new GatehouseError('stack_file_invalid.unreadable', {
      where: basename(path),
      values: { errno: String(code) },
    });
  }
  const text = bytes.toString();
  if (!isUtf8(bytes)) {
    const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
    throw new GatehouseError('stack_file_invalid.encoding', { where: `${basename(path)}:${line}` });
  }
  return parseYamlFile(path, text);
}

export function parseYamlFile(path: string, text: string): YamlFile {
  const name = basename(path);
  // The failsafe schema keeps scalars as text; `scalarOf` resolves them.
  const { document, targets, place } = readYaml(name, text, 'failsafe');
  const at = (node: unknown): string => (isNode(node) && node.range ? place(node.range[0]) : name);
  const { contents } = document;
  const file = { text, document, targets, at };
  if (contents === null || (isScalar(contents) && scalarOf(file, contents) === null)) {
    return { ...file, root: undefined };
  }
  if (!isMap(contents)) throw new GatehouseError('stack_file_invalid.mapping', { where: at(contents) });
  return { ...file, root: contents };
}

/** The node that an alias refers to, or the node itself; null for a key without a value. */
export function resolved({ targets }: YamlFile, node: unknown): Node | null {
  if (isAlias(node)) return targets.get(node) ?? null;
  return isNode(node) ? node : null;
}

/** @throws GatehouseError `stack_file_invalid` for a tag other than `!!str` */
export function scalarOf(file: Pick<YamlFile, 'at'>, node: Scalar): YamlScalar {
  if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str') {
    throw new GatehouseError('stack_file_invalid.tag', {
      where: file.at(node),
      allowed: '!!str',
      values: { tag: node.tag },
    });
  }
  const text = String(node.value ?? '');
  return node.type === Scalar.PLAIN && node.tag === undefined ? resolvePlainScalar(text) : text;
}

export type Entries = Map<string, { key: Node; value: Node | null }>;

/** The entries of a mapping, with merge keys (`<<`) applied. @throws GatehouseError `stack_file_invalid` */
export function entriesOf(file: YamlFile, map: YAMLMap | undefined): Entries {
  const entries: Entries = new Map();
  const merged: Node[] = [];
  for (const { key, value } of map?.items ?? []) {
    const keyNode = resolved(file, key);
    const valueNode = resolved(file, value);
    if (!isScalar(keyNode)) throw new GatehouseError('stack_file_invalid.key', { where: file.at(key) });
    if (keyNode.value === '<<' && keyNode.type === Scalar.PLAIN) {
      if (valueNode) merged.push(valueNode);
      continue;
    }
    const name = scalarOf(file, keyNode);
    if (typeof name !== 'string') {
      throw new GatehouseError('stack_file_invalid.key_unquoted', { where: file.at(key) });
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
    if (!isMap(source)) throw new GatehouseError('stack_file_invalid.merge_key', { where: file.at(node) });
    return source;
  });
}

/**
 * A plain (unquoted, untagged) YAML scalar as Pulumi reads it, by Go's yaml.v3 (go-yaml/yaml `resolve.go`). Unlike in
 * other parsers, `0777` is octal, `1_000` a number, `yes` a string, and a time becomes Go's text for it.
 */
export type YamlScalar = null | boolean | string | bigint | number;

const words = new Map<string, YamlScalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE'].map((text) => [text, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, NaN] as const),
]);
const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const instant =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(Z|[+-]\d{2}:\d{2})| (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?)?$/;

export function resolvePlainScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text)) return text;
  return goTime(text) ?? number(text.replaceAll('_', '')) ?? text;
}

function number(text: string): bigint | number | undefined {
  const match = integer.exec(text);
  if (match !== null) {
    const [, sign = '', digits = ''] = match;
    // A leading zero is octal in Go; BigInt requires `0o`.
    const magnitude = BigInt(digits.replace(/^0[oO]?(?=[0-7])/, '0o'));
    const value = sign === '-' ? -magnitude : magnitude;
    if (value >= -(2n ** 63n) && value < 2n ** 64n) return value;
  }
  return float.test(text) ? Number(text) : undefined;
}

/** `2026-12-01T00:00:00Z` → `2026-12-01 00:00:00 +0000 UTC` (Go's `Time.String`); undefined if it is not a time. */
function goTime(text: string): string | undefined {
  const match = instant.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = ''] = match;
  const twoDigits = (field = '') => field.padStart(2, '0');
  const hour = twoDigits(match[4] ?? match[9]);
  const minute = twoDigits(match[5] ?? match[10]);
  const second = twoDigits(match[6] ?? match[11]);
  const fraction = (match[7] ?? match[12] ?? '').slice(0, 10).replace(/\.?0+$/, '');
  const zone = match[8] ?? 'Z';
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = `${hour}:${minute}:${second}`;
  const parsed = new Date(`${date}T${time}Z`);
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 19) !== `${date}T${time}`)
    return undefined;
  const offset = zone === 'Z' ? '+0000' : zone.replace(':', '');
  const isUtc = offset.slice(1) === '0000';
  return `${date} ${time}${fraction} ${isUtc ? '+0000 UTC' : `${offset} ${offset}`}`;
}
