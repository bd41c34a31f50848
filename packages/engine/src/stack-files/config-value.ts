import { GatehouseError, goJson } from '@gatehouse/core/values';
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { ConfigValue } from '../stack.ts';
import { type Entries, entriesOf, resolved, scalarOf, type YamlFile, type YamlScalar } from './yaml-file.ts';

/**
 * A configuration value as Pulumi passes it to the program (pulumi/pulumi `sdk/go/common/resource/config/value.go`,
 * `object.go`, `plaintext.go`): a scalar's text, otherwise JSON with sorted keys and decrypted secrets.
 */
export interface RenderedValue extends ConfigValue {
  isScalar: boolean;
  json: string;
}

/** Decrypts the value of a `secure:` key at `node`. */
export type DecryptAt = (ciphertext: string, node: Node) => string;

export function renderValue(file: YamlFile, node: Node | null, decrypt: DecryptAt): RenderedValue {
  if (node === null) return scalar(null);
  if (isScalar(node)) {
    const value = scalarOf(file, node);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new GatehouseError('stack_file_invalid.number', { where: file.at(node) });
    }
    return scalar(value);
  }
  if (isSeq(node)) {
    const elements = node.items.map((item) => renderValue(file, resolved(file, item), decrypt));
    return container(`[${elements.map(({ json }) => json).join(',')}]`, elements);
  }
  if (!isMap(node)) throw new GatehouseError('stack_file_invalid.value', { where: file.at(node) });
  const entries = entriesOf(file, node);
  const ciphertext = secureValue(file, entries);
  if (ciphertext !== undefined) {
    const plaintext = scalar(decrypt(ciphertext, node));
    return { ...plaintext, secret: true, secrets: [plaintext.value] };
  }
  const members = [...entries]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, { value }]) => ({ name, ...renderValue(file, value, decrypt) }));
  const json = members.map((member) => `${goJson(member.name)}:${member.json}`).join(',');
  const whole = container(`{${json}}`, members);
  const clear = whole.secret ? members.filter(({ secret }) => !secret).map(({ name }) => name) : [];
  return clear.length > 0 ? { ...whole, clear } : whole;
}

/** A mapping with only the key `secure` and a string is an encrypted value. */
function secureValue(file: YamlFile, entries: Entries): string | undefined {
  const value = entries.size === 1 ? entries.get('secure')?.value : undefined;
  if (!isScalar(value)) return undefined;
  const ciphertext = scalarOf(file, value);
  return typeof ciphertext === 'string' ? ciphertext : undefined;
}

/** The parts of a rendered value that belong to the configuration. */
export function configValue({ value, secret, secrets, clear }: RenderedValue): ConfigValue {
  return { value, secret, ...(secrets && { secrets }), ...(clear && { clear }) };
}

function scalar(value: YamlScalar): RenderedValue {
  const json = typeof value === 'string' ? goJson(value) : String(value);
  return { isScalar: true, value: String(value ?? ''), json, secret: false };
}

function container(json: string, parts: RenderedValue[]): RenderedValue {
  const secrets = parts.flatMap((part) => part.secrets ?? []);
  const secret = secrets.length > 0;
  return { isScalar: false, value: json, json, secret, ...(secret && { secrets }) };
}

/**
 * The full key, `<namespace>:<name>`, of a key in a stack or project file (pulumi/pulumi
 * `sdk/go/common/resource/config/key.go`). The namespace defaults to the project; `<namespace>:config:<name>` is an
 * older spelling.
 *
 * @returns undefined if it is not valid
 */
export function fullConfigKey(key: string, project: string): string | undefined {
  const parts = key.split(':');
  if (parts.length === 1) return `${project}:${key}`;
  if (parts.length === 2) return key;
  if (parts.length === 3 && parts[1] === 'config') return `${parts[0]}:${parts[2]}`;
  return undefined;
}
