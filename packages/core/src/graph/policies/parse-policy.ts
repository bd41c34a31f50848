import { parseDuration } from '../values/duration.ts';
import { parseInstant } from '../values/instant.ts';
import { type HclBody, HclError, type HclValue, parseHcl } from './hcl.ts';
import { attributes, olderWords } from './policy-attributes.ts';

/** What every server knows. Policies may name others, which are kept as they are. */
export type Capability =
  | 'create'
  | 'read'
  | 'update'
  | 'delete'
  | 'list'
  | 'sudo'
  | 'patch'
  | 'scan'
  | 'deny';

/** What a policy says of one path. */
export interface PathRule {
  /** May end in `*` and hold `+` for one segment. Without a slash at its beginning. */
  path: string;
  /** `deny` stands alone. */
  capabilities: string[];
  /** Values a field may have; none: any. `*` as a name: every other field. */
  allowedParameters?: Record<string, HclValue[]>;
  deniedParameters?: Record<string, HclValue[]>;
  requiredParameters?: string[];
  /** The least and the most time to live of a wrapped response, in seconds. With either, only wrapped ones are allowed. */
  minWrapping?: number;
  maxWrapping?: number;
  /** Types of events that a subscription gets: more is more, and none is none. */
  eventTypes?: string[];
  /** What is not modeled here (`control_group`, `mfa_methods`, …), as text. */
  otherLimits?: string;
  /** The part of it that may also give: what is not known. */
  mayGive?: string;
  /** The rule holds until then; nanoseconds. */
  expires?: bigint;
  /** The service itself keeps a token from the path: the rule is of no policy, and no policy opens it. Defaults to false. */
  closes?: true;
}

/**
 * Reads the text of a policy of any server, HCL or JSON. Unknown capabilities and attributes are kept.
 *
 * @throws HclError with a text as real servers have it
 */
export function parsePolicy(text: string): PathRule[] {
  return pathBlocks(text).map(ruleOf);
}

/** The rules of a policy; undefined where its text cannot be read. */
export function readPolicy(text: string): PathRule[] | undefined {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (error instanceof HclError) return undefined;
    throw error;
  }
}

/** `path "…" { … }` as it is written. */
interface PathBlock {
  label: string;
  /** The place of the rule, as an error names it: `path "a/*"`. */
  where: string;
  line: number;
  items: HclBody['items'];
  /** Where the block begins in the text, behind its brace; undefined for JSON. */
  start?: number;
}

/** The blocks of a policy. @throws HclError */
export function pathBlocks(text: string): PathBlock[] {
  const { items } = parseHcl(text);
  const wrong = items.find(({ name }) => name !== 'path' && name !== 'name');
  if (wrong !== undefined) throw invalidKey(wrong);
  return (
    items
      .filter(({ name }) => name === 'path')
      // Servers read the first label alone.
      .map(({ labels, value, line, start }) => {
        const label = labels?.[0];
        if (label === undefined || !isBody(value)) throw new HclError('path: expected a block with a path');
        const where = `path ${JSON.stringify(label)}`;
        return { label, where, line, items: value.items, ...(start !== undefined && { start }) };
      })
  );
}

function ruleOf({ label, where, items }: PathBlock): PathRule {
  const fields = new Map<string, HclValue>();
  const unmodeled: HclBody['items'] = [];
  const isRead = (name: string) => attributes[name]?.judged === 'read';
  for (const item of items) {
    if (!isRead(item.name)) {
      // A server that takes it for the attribute would not take it for a limit.
      if (isRead(item.name.toLowerCase())) throw new HclError(`${where}: ${invalidKey(item).message}`);
      unmodeled.push(item);
    } else if (
      item.name.endsWith('_wrapping_ttl') &&
      !isZero(item.value) &&
      wrappingOf(item.value) === undefined
    ) {
      // Written as Go writes durations, in a way that is not read here: compared as text.
      unmodeled.push(item);
    } else if (fields.has(item.name)) throw new HclError(`${where}: ${item.name} is given twice`);
    else fields.set(item.name, item.value);
  }
  if (label.includes('+*')) {
    throw new HclError(`${where}: ${where}: invalid use of wildcards ('+*' is forbidden)`);
  }
  const text = (items: HclBody['items']) =>
    items.length === 0 ? undefined : JSON.stringify(plain({ items }));
  return {
    // Servers fill templates in without their spaces.
    path: label.replace(/^\//, '').replace(/\{\{\s*([^{}]*?)\s*\}\}/g, '{{$1}}'),
    capabilities: capabilitiesOf(fields, where),
    allowedParameters: parameters(fields.get('allowed_parameters'), where),
    deniedParameters: parameters(fields.get('denied_parameters'), where),
    requiredParameters: texts(fields.get('required_parameters'), where)?.map((name) => name.toLowerCase()),
    minWrapping: wrappingOf(fields.get('min_wrapping_ttl')),
    maxWrapping: wrappingOf(fields.get('max_wrapping_ttl')),
    ...(fields.has('subscribe_event_types') && {
      eventTypes: texts(fields.get('subscribe_event_types'), where) ?? [],
    }),
    ...(unmodeled.length > 0 && {
      otherLimits: text(unmodeled),
      mayGive: text(unmodeled.filter(({ name }) => !isTaking(name))),
    }),
    expires: expiryOf(fields.get('expiration'), where),
  };
}

/** Attributes that only take away; a time to live is one that is not read. */
function isTaking(name: string): boolean {
  return attributes[name]?.judged === 'takes' || attributes[name]?.shape === 'duration';
}

function capabilitiesOf(fields: Map<string, HclValue>, where: string): string[] {
  const list = fields.get('capabilities') ?? [];
  if (!Array.isArray(list)) throw new HclError(`${where}: ${where}: capabilities are a list`);
  const wrong = list.find((capability) => typeof capability !== 'string');
  if (wrong !== undefined) {
    throw new HclError(`${where}: ${where}: invalid capability ${JSON.stringify(String(wrong))}`);
  }
  const word = fields.get('policy');
  const olderCapabilities = word === undefined ? [] : olderWords.get(String(word));
  if (olderCapabilities === undefined)
    throw new HclError(`${where}: ${where}: invalid policy ${JSON.stringify(word)}`);
  const all = [...new Set([...list.map(String), ...olderCapabilities])];
  return all.includes('deny') ? ['deny'] : all;
}

/** A value in the one form that HCL and JSON share. */
function plain(value: HclValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isBody(value)) return value;
  const block = value.items
    .map(({ name, labels = [], value: inner }) => ({
      name,
      value: labels.reduceRight(
        (within, label) => ({ block: [{ name: label, value: within }] }),
        plain(inner),
      ),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { block };
}

function texts(value: HclValue | undefined, where: string): string[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  if (list.some((text) => typeof text !== 'string')) throw new HclError(`${where}: expected a list of texts`);
  return list as string[];
}

function parameters(value: HclValue | undefined, where: string): Record<string, HclValue[]> | undefined {
  if (value === undefined) return undefined;
  if (!isBody(value)) throw new HclError(`${where}: expected names with lists of values`);
  return Object.fromEntries(
    value.items.map(({ name, value: values }) => {
      if (!Array.isArray(values)) throw new HclError(`${where}: expected a list of values for ${name}`);
      return [name.toLowerCase(), values];
    }),
  );
}

/** Seconds; undefined for no limit. Zero, however it is written, is none. */
function wrappingOf(value: HclValue | undefined): number | undefined {
  return isZero(value) ? undefined : parseDuration(value);
}

function isZero(value: HclValue | undefined): boolean {
  return value === undefined || /^0*[smhd]?$/.test(String(value));
}

/** Nanoseconds since 1970; undefined for never. @throws HclError */
export function expiryOf(value: HclValue | undefined, where: string): bigint | undefined {
  if (value === undefined || value === '') return undefined;
  const expires = /^-?\d+$/.test(String(value))
    ? BigInt(String(value)) * 1_000_000_000n
    : parseInstant(/[tz]/.test(String(value)) ? '' : String(value));
  if (expires === undefined) {
    throw new HclError(
      `${where}: ${where}: invalid expiration time: could not parse string as date and time`,
    );
  }
  return expires;
}

export function isBody(value: HclValue): value is HclBody {
  return typeof value === 'object' && !Array.isArray(value);
}

/** The error of real servers for a key that they do not know. */
export function invalidKey({ name, line, isBlock }: HclBody['items'][number]): HclError {
  const shownLine = isBlock ? 0 : line;
  return new HclError(`1 error occurred:\n\t* invalid key ${JSON.stringify(name)} on line ${shownLine}\n\n`);
}
