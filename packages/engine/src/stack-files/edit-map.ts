import { isMap, isNode, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { resolvePlainScalar } from './yaml-file.ts';

/** An entry to write: its value is another entry, or YAML in one line. */
export interface NewEntry {
  key: string;
  value: NewEntry | string;
}

/** The text of a file with an entry added to a map in it; every other line stays. */
export function withEntry(text: string, map: YAMLMap, entry: NewEntry): string {
  const last = map.items.at(-1);
  if (map.flow) {
    const [start = 0, end = 0] = map.range ?? [];
    if (last === undefined) return `${text.slice(0, start)}{ ${inOneLine(entry)} }${text.slice(end)}`;
    const at = endOf(last);
    return `${text.slice(0, at)}, ${inOneLine(entry)}${text.slice(at)}`;
  }
  const first = map.items[0] === undefined ? 0 : startOf(map.items[0]);
  return insertLines(text, last === undefined ? 0 : endOf(last), entry, first - lineStart(text, first));
}

/** The text of a file with an entry below a key that has no value; without such a key, at the end of a file without content. */
export function withFirstEntry(text: string, empty: Pair | undefined, entry: NewEntry): string {
  if (empty === undefined) return insertLines(text, text.length, entry, 0);
  const end = endOf(empty);
  const start = isNode(empty.value) ? (empty.value.range?.[0] ?? end) : end;
  const column = startOf(empty) - lineStart(text, startOf(empty));
  return insertLines(`${text.slice(0, start)}${text.slice(end)}`, start, entry, column + 2);
}

/** The text of a file with an entry added to its root map, which an empty file lacks. */
export function withTopEntry(text: string, root: YAMLMap | undefined, entry: NewEntry): string {
  return root === undefined ? withFirstEntry(text, undefined, entry) : withEntry(text, root, entry);
}

/** The text of a file without an entry of a map in it. */
export function withoutEntry(text: string, map: YAMLMap, entry: Pair): string {
  const at = map.items.indexOf(entry);
  if (map.flow) {
    const before = map.items[at - 1];
    const after = map.items[at + 1];
    if (before !== undefined) return `${text.slice(0, endOf(before))}${text.slice(endOf(entry))}`;
    const end = after === undefined ? endOf(entry) : startOf(after);
    return `${text.slice(0, startOf(entry))}${text.slice(end)}`;
  }
  return `${text.slice(0, lineStart(text, startOf(entry)))}${text.slice(lineEnd(text, endOf(entry)))}`;
}

function insertLines(text: string, after: number, entry: NewEntry, column: number): string {
  const at = lineEnd(text, after);
  const needsBreak = at > 0 && text[at - 1] !== '\n';
  const lines = `${needsBreak ? '\n' : ''}${inLines(entry, column)}`;
  const written = text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
  return `${text.slice(0, at)}${written}${text.slice(at)}`;
}

function inLines({ key, value }: NewEntry, column: number): string {
  const start = `${' '.repeat(column)}${keyText(key)}:`;
  return typeof value === 'string' ? `${start} ${value}\n` : `${start}\n${inLines(value, column + 2)}`;
}

function inOneLine({ key, value }: NewEntry): string {
  return `${keyText(key)}: ${typeof value === 'string' ? value : `{ ${inOneLine(value)} }`}`;
}

/** Quoted where Pulumi would take it for a number or the like. */
function keyText(key: string): string {
  return /^[\w:.-]+$/.test(key) && resolvePlainScalar(key) === key ? key : JSON.stringify(key);
}

function startOf({ key }: Pair): number {
  return isNode(key) ? (key.range?.[0] ?? 0) : 0;
}

/** Where an entry ends, without comments and blank lines behind it, which the library counts among a block. */
function endOf({ key, value }: Pair): number {
  if (isNode(value)) return nodeEnd(value);
  return isNode(key) ? (key.range?.[1] ?? 0) : 0;
}

function nodeEnd(node: Node): number {
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last = node.items.at(-1);
    if (isMap(node)) return endOf(last as Pair);
    if (isNode(last)) return nodeEnd(last);
  }
  return node.range?.[1] ?? 0;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Behind the line break; a block of text ends there already. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
