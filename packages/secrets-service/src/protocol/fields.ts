import { type Field, type Fields, type FieldType, wireNameIn } from '@gatehouse/core/graph';
import type { z } from 'zod';
import type { Json } from '../storage/storage.ts';
import { RequestRefusal } from './refusal.ts';

/**
 * A request body. Its fields are read as leniently, and refused with the same texts, as by real servers
 * (openbao/openbao sdk/framework/field_data.go): absent fields are undefined, null is empty.
 */
export type RequestFields = { [name: string]: Json };

/** An invalid field. On most paths the service adds a prefix to its text. */
export class FieldRefusal extends RequestRefusal {
  readonly problem: string;

  constructor(name: string, problem: string) {
    super(400, `error converting input for field "${name}": ${problem}`);
    this.problem = problem;
  }
}

/** A reader of fields from a reader of present values; absent fields are undefined. */
function reader<Value>(read: (value: Json, name: string) => Value) {
  return (fields: RequestFields, name: string): Value | undefined =>
    Object.hasOwn(fields, name) ? read(fields[name] ?? null, name) : undefined;
}

/** A string; numbers and booleans are converted. */
export const textField = reader(readText);

function readText(value: Json, name: string): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? unconvertible(name, 'string', value) : String(value);
}

/** A boolean; numbers and `"true"`, `"1"`, `"f"` … are converted. */
export const flagField = reader((value, name) => {
  if (value === null || value === '') return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'string') return unconvertible(name, 'bool', value);
  if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(value)) return false;
  throw new FieldRefusal(name, "'' cannot parse value as 'bool': strconv.ParseBool: invalid syntax");
});

/** A list of trimmed strings; one string is split at its commas. */
export const listField = reader((value, name) => {
  if (value === null || value === '') return [];
  const texts = Array.isArray(value)
    ? value.map((entry) => readText(entry, name))
    : readText(value, name).split(',');
  return texts.map((text) => text.trim());
});

/** A map of strings: an object, or `name=value` strings. */
export const pairsField = reader((value, name): Record<string, string> => {
  if (value === null) return {};
  const entries = isMap(value)
    ? Object.entries(value).map(([key, text]) => [key, readText(text, name)])
    : [value].flat().map((entry, index) => {
        const pair = typeof entry === 'object' ? null : /^([^=]*)=(.*)$/s.exec(String(entry));
        if (pair !== null) return pair.slice(1);
        throw new FieldRefusal(name, `invalid key pair at index ${index} in field "${name}"`);
      });
  return Object.fromEntries(entries);
});

export const mapField = reader((value, name): RequestFields => {
  if (value === null) return {};
  return isMap(value) ? value : unconvertible(name, 'map[string]interface {}', value);
});

export function isMap(value: Json): value is RequestFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unconvertible(name: string, expected: string, value: Json): never {
  let type: string = typeof value;
  if (isMap(value)) type = 'map[string]interface {}';
  if (Array.isArray(value)) type = '[]interface {}';
  throw new FieldRefusal(name, `'' expected type '${expected}', got unconvertible type '${type}'`);
}

/** Whole seconds: a number, or a string like `90`, `1.5h`, `1h30m`, `7d`; null and empty are 0. */
export function durationField(fields: RequestFields, name: string, signed = false): number | undefined {
  return reader((value) => {
    if (typeof value !== 'number' && typeof value !== 'string' && value !== null) {
      throw new FieldRefusal(name, 'could not parse duration from input');
    }
    const seconds = Math.trunc(parseDuration(String(value ?? ''), name));
    if (seconds < 0 && !signed) throw new FieldRefusal(name, `cannot provide negative value '${seconds}'`);
    return seconds;
  })(fields, name);
}

/** Seconds of a field that real servers take as text: true is `1`. Less than a second counts as one. */
export function textDurationField(fields: RequestFields, name: string): number | undefined {
  const text = textField(fields, name);
  return text === undefined ? undefined : Math.ceil(parseDuration(text, name));
}

const units: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** Seconds, as Go reads a duration (openbao go-secure-stdlib parseutil, `ParseDurationSecond`; Go `time.ParseDuration`). */
function parseDuration(duration: string, name: string): number {
  const refused = (problem: string) => new FieldRefusal(name, problem);
  const quoted = JSON.stringify(duration);
  const longest = 2 ** 63 / 1e9;
  if (duration === '') return 0;
  if (/^[-+]?\d+d?$/.test(duration) && Math.abs(Number.parseInt(duration, 10)) < 2 ** 63) {
    const seconds = Number.parseInt(duration, 10) * (duration.endsWith('d') ? 86_400 : 1);
    if (Math.abs(seconds) < longest) return seconds;
    throw refused('multiplication of durations resulted in overflow, one operand may be too large');
  }
  if (duration.endsWith('d')) {
    throw refused(`strconv.ParseInt: parsing ${JSON.stringify(duration.slice(0, -1))}: invalid syntax`);
  }
  let seconds = 0;
  let rest = duration.replace(/^[-+]/, '');
  if (rest === '') throw refused(`time: invalid duration ${quoted}`);
  while (rest !== '') {
    const [part, count, unit = ''] = /^(\d+\.?\d*|\.\d+)([^.\d]*)/.exec(rest) ?? [];
    if (part === undefined) throw refused(`time: invalid duration ${quoted}`);
    if (unit === '') throw refused(`time: missing unit in duration ${quoted}`);
    const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (size === undefined) throw refused(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    seconds += Number(count) * size;
    rest = rest.slice(part.length);
  }
  if (seconds >= longest) throw refused(`time: invalid duration ${quoted}`);
  return duration.startsWith('-') ? -seconds : seconds;
}

/** An integer; null and empty are 0. */
export const countField = reader((value, name) => {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value || 0;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new FieldRefusal(
    name,
    typeof value === 'string' || typeof value === 'number'
      ? "'' cannot parse value as 'int': strconv.ParseInt: invalid syntax"
      : `'' expected type 'int', got unconvertible type '${typeof value}'`,
  );
});

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type WireName<Name extends string, Definition extends Field> = Definition extends { liveOnly: true }
  ? never
  : Definition extends { wire: infer Written extends string }
    ? Written
    : Snake<Name>;

type WireValue<Definition extends Field> = Definition['type'] extends 'keySets'
  ? { jwks_url: string; jwks_ca_pem?: string }[]
  : Definition['type'] extends 'claims' | 'providerConfig'
    ? RequestFields
    : z.output<Definition['schema']>;

/** The fields of a resource by wire name. */
export type WireFields<Table extends Fields> = {
  -readonly [Name in keyof Table & string as WireName<Name, Table[Name]>]: WireValue<Table[Name]>;
};

export function wireFields(table: Fields): [name: string, field: Field][] {
  return Object.entries(table).flatMap(([own, field]) =>
    field.liveOnly ? [] : [[wireNameIn(table, own), field]],
  );
}

/** The fields of a table that a body sets. The caller reads pairs of key sets. */
export function writtenFields<Table extends Fields>(
  table: Table,
  body: RequestFields,
): Partial<WireFields<Table>> {
  const written = wireFields(table).map(([name, field]) => [name, readers[field.type](body, name, field)]);
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

const readers: Record<FieldType, (fields: RequestFields, name: string, field: Field) => unknown> = {
  text: textField,
  instant: textField,
  flag: flagField,
  integer: countField,
  // Leeways may be negative.
  seconds: (fields, name, { schema }) => durationField(fields, name, schema.safeParse(-1).success),
  texts: listField,
  textsByName: pairsField,
  claims: mapField,
  providerConfig: mapField,
  keySets: () => undefined,
};

export const emptyValues: Record<FieldType, Json> = {
  text: '',
  instant: '',
  flag: false,
  integer: 0,
  seconds: 0,
  texts: [],
  textsByName: {},
  claims: {},
  providerConfig: {},
  keySets: [],
};
