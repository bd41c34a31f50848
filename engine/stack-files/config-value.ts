import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { YamlScalar } from './yaml-file.ts';
import { entriesOf, invalid, resolved, scalarOf, type YamlFile } from './yaml-file.ts';

/**
 * A configuration value as Pulumi passes it to the program (pulumi/pulumi
 * `sdk/go/common/resource/config/value.go`, `object.go`, `plaintext.go`).
 */
export interface RenderedValue {
  kind: 'scalar' | 'list' | 'map';
  /** A scalar's text, else JSON: keys in order, numbers as Go writes them, secrets decrypted in their places. */
  text: string;
  /** True when the value, or any part of it, is encrypted in the file. */
  secret: boolean;
  json: string;
}

/** Decrypts the value of a `secure:` key that stands at `node`. */
export type DecryptAt = (ciphertext: string, node: Node) => string;

export function renderValue(file: YamlFile, node: Node | null, decrypt: DecryptAt): RenderedValue {
  if (node === null) return scalar(null);
  if (isScalar(node)) {
    const value = scalarOf(file, node);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw invalid(file.at(node), 'Infinity and not-a-number cannot be configuration values.');
    }
    return scalar(value);
  }
  if (isSeq(node)) {
    const elements = node.items.map((item) => renderValue(file, resolved(file, item), decrypt));
    return container('list', `[${elements.map(({ json }) => json).join(',')}]`, elements);
  }
  if (!isMap(node)) throw invalid(file.at(node), 'Not a value.');
  const entries = entriesOf(file, node);
  const ciphertext = secureValue(file, entries);
  if (ciphertext !== undefined) return { ...scalar(decrypt(ciphertext, node)), secret: true };
  const members = [...entries]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, { value }]) => ({ name, ...renderValue(file, value, decrypt) }));
  return container(
    'map',
    `{${members.map(({ name, json }) => `${jsonText(name)}:${json}`).join(',')}}`,
    members,
  );
}

/** A mapping of the one key `secure` with a text is an encrypted value. */
function secureValue(file: YamlFile, entries: Map<string, { value: Node | null }>): string | undefined {
  const value = entries.size === 1 ? entries.get('secure')?.value : undefined;
  if (!isScalar(value)) return undefined;
  const ciphertext = scalarOf(file, value);
  return typeof ciphertext === 'string' ? ciphertext : undefined;
}

function scalar(value: YamlScalar): RenderedValue {
  if (typeof value === 'string') return { kind: 'scalar', text: value, json: jsonText(value), secret: false };
  const json = String(value);
  return { kind: 'scalar', text: value === null ? '' : json, json, secret: false };
}

function container(kind: 'list' | 'map', json: string, parts: RenderedValue[]): RenderedValue {
  return { kind, text: json, json, secret: parts.some(({ secret }) => secret) };
}

/** As Go's encoding/json, which escapes what HTML would read. */
function jsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The full key, `<namespace>:<name>`, of a key in a stack or project file (pulumi/pulumi
 * `sdk/go/common/resource/config/key.go`): one without a namespace is the project's own, and
 * `<namespace>:config:<name>` is an older spelling.
 *
 * @returns undefined when it is no key.
 */
export function fullConfigKey(key: string, project: string): string | undefined {
  const parts = key.split(':');
  if (parts.length === 1) return `${project}:${key}`;
  if (parts.length === 2) return key;
  if (parts.length === 3 && parts[1] === 'config') return `${parts[0]}:${parts[2]}`;
  return undefined;
}

export interface ItemType {
  type: string;
  items?: ItemType;
}

/**
 * Whether a value is of the type that the project declares (pulumi/pulumi
 * `sdk/go/common/workspace/project.go`, `ValidateConfigValue`).
 */
export function hasDeclaredType(value: RenderedValue, type: string, items: ItemType | undefined): boolean {
  // A scalar is text by then, whatever it was in the YAML.
  return matches(value.kind === 'scalar' ? value.text : JSON.parse(value.json), { type, items });
}

function matches(content: unknown, { type, items }: ItemType): boolean {
  switch (type) {
    case 'string':
      return typeof content === 'string';
    case 'integer':
      return Number.isInteger(content) || (typeof content === 'string' && /^[-+]?\d+$/.test(content));
    case 'boolean':
      return typeof content === 'boolean' || content === 'true' || content === 'false';
    case 'object':
      return typeof content === 'object' && content !== null && !Array.isArray(content);
    case 'array':
      return (
        Array.isArray(content) && items !== undefined && content.every((element) => matches(element, items))
      );
    default:
      return false;
  }
}
