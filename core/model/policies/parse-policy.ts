import { parseInstant } from '../values/instant.ts';
import { type HclBody, HclError, type HclValue, parseHcl } from './hcl.ts';

export const capabilities = [
  'create',
  'read',
  'update',
  'delete',
  'list',
  'sudo',
  'patch',
  'scan',
  'deny',
] as const;
export type Capability = (typeof capabilities)[number];

/** What a policy says of one path. */
export interface PathRule {
  /** May end in `*` and hold `+` for one segment. Without a slash at its beginning. */
  path: string;
  /** `deny` stands alone. */
  capabilities: Capability[];
  /** Values a field may have; none: any. `*` as a name: every other field. */
  allowedParameters?: Record<string, HclValue[]>;
  deniedParameters?: Record<string, HclValue[]>;
  requiredParameters?: string[];
  /** True where only wrapped answers are allowed: this service has none. */
  needsWrapping?: boolean;
  /** The rule holds until then; nanoseconds. */
  expires?: bigint;
}

/** Older words for sets of capabilities (openbao/openbao vault/policy.go). */
const oldWords: Record<string, Capability[]> = {
  deny: ['deny'],
  read: ['read', 'list'],
  write: ['create', 'read', 'update', 'delete', 'list'],
  sudo: ['create', 'read', 'update', 'delete', 'list', 'sudo'],
};

const known = [
  ...['comment', 'policy', 'capabilities', 'expiration', 'min_wrapping_ttl', 'max_wrapping_ttl'],
  ...['allowed_parameters', 'denied_parameters', 'required_parameters'],
];
/** What real servers know and this one cannot hold to: refused rather than passed over. */
const unheld = ['mfa_methods', 'control_group', 'pagination_limit', 'list_scan_response_keys_filter_path'];

/**
 * Reads the text of a policy, HCL or JSON.
 *
 * @throws HclError with a text as real servers have it
 */
export function parsePolicy(text: string): PathRule[] {
  const { items } = parseHcl(text);
  const wrong = items.find(({ name }) => name !== 'path' && name !== 'name');
  if (wrong !== undefined) throw invalidKey(wrong);
  return items
    .filter(({ name }) => name === 'path')
    .flatMap((item) => (item.label === undefined ? labelled(item.value) : [{ ...item, label: item.label }]))
    .map(({ label, value }) => ruleOf(label, value));
}

/** The same; undefined where the text cannot be read as a policy. */
export function readPolicy(text: string): PathRule[] | undefined {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (error instanceof HclError) return undefined;
    throw error;
  }
}

/** `path = {"a": {…}}`, as JSON has it: the labels are the names within; a list holds several of these. */
function labelled(value: HclValue): { label: string; value: HclValue }[] {
  if (Array.isArray(value)) return value.flatMap(labelled);
  if (!isBody(value)) throw new HclError('path: expected a block with a path');
  return value.items.map(({ name, label, value: inner }) => {
    if (label !== undefined) throw new HclError('path: expected a block with one path');
    return { label: name, value: inner };
  });
}

function ruleOf(label: string, value: HclValue): PathRule {
  const where = `path ${JSON.stringify(label)}`;
  // JSON as some tools write it has each block in a list of its own.
  const body = Array.isArray(value) && value.length === 1 ? (value[0] as HclValue) : value;
  if (!isBody(body)) throw new HclError(`${where}: expected a block`);
  const fields = new Map<string, HclValue>();
  for (const item of body.items) {
    if (unheld.includes(item.name))
      throw new HclError(`${where}: ${item.name} is not supported by this service`);
    if (!known.includes(item.name)) throw new HclError(`${where}: ${invalidKey(item).message}`);
    if (fields.has(item.name)) throw new HclError(`${where}: ${item.name} is given twice`);
    fields.set(item.name, item.value);
  }
  const path = label.replace(/^\//, '');
  if (path.includes('+*')) {
    throw new HclError(`${where}: ${where}: invalid use of wildcards ('+*' is forbidden)`);
  }
  return {
    path,
    capabilities: capabilitiesOf(fields, where),
    allowedParameters: parameters(fields.get('allowed_parameters'), where),
    deniedParameters: parameters(fields.get('denied_parameters'), where),
    requiredParameters: texts(fields.get('required_parameters'), where)?.map((name) => name.toLowerCase()),
    needsWrapping: ['min_wrapping_ttl', 'max_wrapping_ttl'].some((name) => isSet(fields.get(name))),
    expires: expiryOf(fields.get('expiration'), where),
  };
}

function capabilitiesOf(fields: Map<string, HclValue>, where: string): Capability[] {
  const list = fields.get('capabilities') ?? [];
  if (!Array.isArray(list)) throw new HclError(`${where}: ${where}: capabilities are a list`);
  const given = list.map(String);
  const wrong = given.find((one) => !(capabilities as readonly string[]).includes(one));
  if (wrong !== undefined) {
    throw new HclError(`${where}: ${where}: invalid capability ${JSON.stringify(wrong)}`);
  }
  const word = fields.get('policy');
  const old = word === undefined ? [] : oldWords[String(word)];
  if (old === undefined) throw new HclError(`${where}: ${where}: invalid policy ${JSON.stringify(word)}`);
  const all = [...new Set([...(given as Capability[]), ...old])];
  return all.includes('deny') ? ['deny'] : all;
}

function texts(value: HclValue | undefined, where: string): string[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  if (list.some((one) => typeof one !== 'string')) throw new HclError(`${where}: expected a list of texts`);
  return list as string[];
}

function parameters(value: HclValue | undefined, where: string): Record<string, HclValue[]> | undefined {
  if (value === undefined) return undefined;
  const body = Array.isArray(value) && value.length === 1 ? (value[0] as HclValue) : value;
  if (!isBody(body)) throw new HclError(`${where}: expected names with lists of values`);
  return Object.fromEntries(
    body.items.map(({ name, value: values }) => {
      if (!Array.isArray(values)) throw new HclError(`${where}: expected a list of values for ${name}`);
      return [name.toLowerCase(), values];
    }),
  );
}

function isSet(value: HclValue | undefined): boolean {
  return value !== undefined && !/^0*[smhd]?$/.test(String(value));
}

function expiryOf(value: HclValue | undefined, where: string): bigint | undefined {
  if (value === undefined || value === '') return undefined;
  const expires = parseInstant(String(value));
  if (expires === undefined) {
    throw new HclError(
      `${where}: ${where}: invalid expiration time: could not parse string as date and time`,
    );
  }
  return expires;
}

function isBody(value: HclValue): value is HclBody {
  return typeof value === 'object' && !Array.isArray(value);
}

function invalidKey({ name, line }: { name: string; line: number }): HclError {
  return new HclError(`1 error occurred:\n\t* invalid key ${JSON.stringify(name)} on line ${line}\n\n`);
}
