import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { entriesOf, invalid, resolved, scalarOf, type YamlFile } from './yaml-file.ts';
import type { YamlScalar } from './yaml-scalar.ts';

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
  if (!isMap(node)) throw invalid(file.at(node), 'This is not a value.');
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
