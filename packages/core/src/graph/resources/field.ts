import { z } from 'zod';
import { duration, leeway } from '../values/duration.ts';
import { getOrMake } from '../values/get-or-make.ts';
import { isObject, isUnset } from '../values/json.ts';
import { textList } from '../values/text-list.ts';
import { toCamelCase, toSnakeCase } from '../values/wire.ts';
import { type Check, durations } from './checks.ts';

/**
 * What a field decides: who may do what (`access`), how long a token lives (`lifetime`), which person or workload it is of
 * (`identity`), or none of these (`nothing`). A review judges a changed field by it.
 */
export type Bearing = 'access' | 'lifetime' | 'identity' | 'nothing';

/**
 * How a field says whom a method trusts, or what it asks of them: how its change is read.
 *
 * - `another`: any other value is another party; `each`: what comes is one more
 * - `any of`: one of a list is asked for; without a list, nothing is. `one of`: without a list, others decide
 * - `if set`: it is asked for where it is set; `limit`: more asks for less, nothing is no limit
 * - `asked if true`, `asked unless false`, `given if true`, `given unless false`: a flag, with its default
 * - `TLS version`: a lower one asks for less
 */
export type Trust =
  | 'another'
  | 'each'
  | 'any of'
  | 'one of'
  | 'if set'
  | 'limit'
  | 'asked if true'
  | 'asked unless false'
  | 'given if true'
  | 'given unless false'
  | 'TLS version';

/**
 * The shape of a field's value.
 *
 * - `text`, `flag`, `integer`; `instant`: RFC 3339; `seconds`: a duration
 * - `texts`: a list; `textsByName`: a map
 * - `claims`: a map from claim to values; one must match
 * - `keySets`: pairs of a JWKS address and its CA certificate
 * - `providerConfig`: settings for one kind of provider (docs/inside/specification.md B3)
 */
export type FieldType =
  | 'text'
  | 'flag'
  | 'integer'
  | 'instant'
  | 'seconds'
  | 'texts'
  | 'textsByName'
  | 'claims'
  | 'keySets'
  | 'providerConfig';

/**
 * One field of a resource. Everything that handles fields is derived from these tables: the YAML's schema, the
 * canonical form, the reader of the live graph, the plugin's schema, the embedded service, its OpenAPI document, the
 * tables of docs/environment.md and the JSON Schema for editors.
 */
export interface Field<Schema extends z.ZodType = z.ZodType> {
  type: FieldType;
  /** Reads the value as a stack file or a service writes it. */
  schema: Schema;
  bearsOn: Bearing;
  /** Why it bears on nothing: of a field of something else than a message. */
  inert?: string;
  /** What it means, in one sentence for the documentation. */
  about: string;
  /** Of a method: how it says whom that trusts. Defaults to not at all. */
  trusts?: Trust;
  /** What a service does where the field is not set. Defaults to nothing in particular. */
  default?: unknown;
  /** The default in words, where it is no plain value: `the kind’s; otherwise any`. */
  otherwise?: string;
  /** What it takes, in words, where the type does not say it all. */
  takes?: string;
  /** An example for the documentation, as YAML. */
  example?: string;
  /**
   * Where it comes from: a table of docs/inside/specification.md, `service` (the API of Vault and OpenBao) or
   * `Gatehouse`.
   */
  source: string;
  /** It must be given. Defaults to false. */
  required?: true;
  /** Its name on the wire, where it is not its own in snake case. The YAML accepts that spelling, too. */
  wire?: string;
  /** Its older name on the wire, which services still read and answer. */
  older?: string;
  /** The order of its list means nothing. Defaults to false. */
  isSet?: true;
  /** No read returns it, and it is no part of plain data. Defaults to false. */
  secret?: true;
  /** Other properties in plans, on which it depends how it is read. */
  readBy?: readonly string[];
  /** It is a policy: what it means is compared, not how it is written. Defaults to false. */
  isPolicy?: true;
  /**
   * False: the plugin's update leaves it on the service when it is emptied
   * (docs/inside/measured/official-plugin.md#values-it-never-clears). Defaults to true.
   */
  cleared?: false;
  /** What the program writes in place of nothing, for a field that an update leaves when it is emptied. Defaults to its default. */
  reset?: string;
  /** The official plugin's update sends it only where it changes; ours always (docs/engines.md#the-vault-plugin). Defaults to always. */
  sent?: 'changed';
  /** A service can hold it, a stack cannot declare it. Defaults to false. */
  liveOnly?: true;
  /** What servers check of a value, in addition to its type. It checks each entry of a list. Defaults to nothing. */
  check?: Check;
  /** One form for all spellings of the same value. Defaults to the value itself. */
  canonical?: (value: never) => unknown;
}

/** What most fields do not have. Their source defaults to `service`. */
export type FurtherOf = Omit<Field, 'type' | 'schema' | 'bearsOn' | 'about' | 'source'> &
  Partial<Pick<Field, 'source'>>;

/** A row of a table of fields. */
export function field<
  const Type extends FieldType,
  Schema extends z.ZodType,
  const On extends Bearing,
  const Further extends FurtherOf = Record<never, never>,
>(type: Type, schema: Schema, bearsOn: On, about: string, further?: Further) {
  return { type, schema, bearsOn, about, source: 'service', ...(further as Further) };
}

/** A function for rows of one type, which have all the rest of `field`. */
const rowOf =
  <const Type extends FieldType, Schema extends z.ZodType>(
    type: Type,
    schema: () => Schema,
    own: Pick<Field, 'check'> = {},
  ) =>
  <const On extends Bearing, const Further extends FurtherOf = Record<never, never>>(
    bearsOn: On,
    about: string,
    further?: Further,
  ) =>
    field(type, schema(), bearsOn, about, { ...own, ...(further as Further) });

export const text = rowOf('text', () => z.string());
/** A row for a text with something in it. */
export const filledText = rowOf('text', () => z.string().min(1));
/** A row for a URL. Its check says the rest. */
export const url = rowOf('text', () => z.url({ error: 'must be an http or https URL', abort: true }));
export const textsByName = rowOf('textsByName', () => z.record(z.string(), z.string()));
/** A row for what is true or false. */
export const flag = rowOf('flag', () => z.boolean());
/** A row for a duration in seconds, which people may write as `1h`. */
export const seconds = rowOf('seconds', () => duration, { check: durations });
/** A row for a leeway: seconds, or -1 for none. */
export const leeways = rowOf('seconds', () => leeway, { check: durations });
/** A row for a list, which may be one text with commas. */
export const texts = rowOf('texts', () => textList);
/** A row for one of a few texts. */
export const choice = <const Options extends readonly string[]>(...options: Options) =>
  rowOf('text', () => z.enum(options));

/** A row for what only a service holds: true or false, or texts. */
export const liveFlag = <const On extends Bearing>(bearsOn: On, about: string, inert?: string) =>
  flag(bearsOn, about, { default: false, liveOnly: true, ...(inert !== undefined && { inert }) });
export const liveTexts = <const On extends Bearing>(
  bearsOn: On,
  about: string,
  canonical?: (texts: string[]) => string[],
  inert?: string,
) =>
  texts(bearsOn, about, {
    otherwise: 'none',
    isSet: true,
    liveOnly: true,
    canonical,
    ...(inert !== undefined && { inert }),
  });

/** The fields of a resource by their names in YAML and TypeScript. */
export type Fields = Record<string, Field>;

/** The values of a table's fields, each optional. */
export type Values<Table extends Fields> = {
  -readonly [Name in keyof Table]?: z.output<Table[Name]['schema']>;
};

/**
 * The names of a table's fields that decide one thing. Who judges a change keys what it does by them, with `satisfies`:
 * a new field that is not judged does not compile.
 */
export type NamesBearing<Table extends Fields, On extends Bearing> = {
  [Name in keyof Table]: Table[Name]['bearsOn'] extends On ? Name : never;
}[keyof Table];

/** A table's fields with their names on the wire, worked out once: a plan has thousands of them. */
interface Index {
  rows: { name: string; field: Field; spellings: string[] }[];
  byWireName: Map<string, string>;
}
const indexes = new WeakMap<Fields, Index>();

function indexOf(table: Fields): Index {
  return getOrMake(indexes, table, () => {
    const rows = Object.entries(table).map(([name, field]) => ({
      name,
      field,
      spellings: [field.wire ?? toSnakeCase(name), field.older].filter((one) => one !== undefined),
    }));
    const named = rows.flatMap(({ name, spellings }) => spellings.map((wire) => [wire, name] as const));
    return { rows, byWireName: new Map(named) };
  });
}

export function bearsOnNothing(table: Fields): boolean {
  return Object.values(table).every(({ bearsOn }) => bearsOn === 'nothing');
}

/** Whether a field is a duration, which people write as `10m`. A leeway is not: it has numbers with a meaning. */
export function isDuration(table: Fields, name: string): boolean {
  const field = Object.hasOwn(table, name) ? table[name] : undefined;
  return field?.type === 'seconds' && field.takes !== 'seconds';
}

/** The name of a table's field on the wire. */
export function wireNameIn(table: Fields, name: string): string {
  return table[name]?.wire ?? toSnakeCase(name);
}

/** The field that a name on the wire means, older names included; undefined for none of this table. */
export function fieldNamed(table: Fields, wire: string): string | undefined {
  return indexOf(table).byWireName.get(wire);
}

/** What servers refuse in a value of a field, each with the entry of the list that it is about. */
export function problemsOf(
  { check }: Pick<Field, 'check'>,
  value: unknown,
): { path: number[]; message: string }[] {
  if (check === undefined) return [];
  const entries = Array.isArray(value)
    ? value.map((one, index) => [[index], one] as const)
    : [[[], value] as const];
  return entries.flatMap(([path, one]) => {
    const message = check.problem(one as never);
    return message === undefined ? [] : { path: [...path], message };
  });
}

/** Reads a value, and refuses what servers refuse. */
export function checked<Schema extends z.ZodType>(field: Pick<Field<Schema>, 'schema' | 'check'>): Schema {
  if (field.check === undefined) return field.schema;
  return field.schema.superRefine((value, context) => {
    for (const problem of problemsOf(field, value)) context.addIssue({ code: 'custom', ...problem });
  });
}

/** The part of a zod object that reads what a stack declares. */
export function shapeOf<Table extends Fields>(table: Table): Shape<Table> {
  const declared = Object.entries(table).filter(([, { liveOnly, secret }]) => !liveOnly && !secret);
  return Object.fromEntries(
    declared.map(([name, field]) => {
      const schema = checked(field);
      return [name, (field.required ? schema : schema.optional()).describe(field.about)];
    }),
  ) as Shape<Table>;
}

type Shape<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { required: true }
    ? Table[Name]['schema']
    : z.ZodOptional<Table[Name]['schema']>;
};

/** Other spellings of fields in YAML, the wire's own in camelCase: `tokenTtl` → `ttl`. */
export function spellingsOf(table: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { wire }]) =>
      wire === undefined ? [] : [[toCamelCase(wire), name]],
    ),
  );
}

/** Values by name: on the wire, or in their canonical form. */
export type ByName = Record<string, unknown>;

/**
 * Reads a service's answer by a table. Unset fields are absent; a value that no declaration could hold (a boolean
 * in bound claims) is kept as it was read.
 */
export function readFields<Table extends Fields>(table: Table, wire: ByName): Values<Table> {
  const values: ByName = {};
  for (const { name, field, spellings } of indexOf(table).rows) {
    if (field.secret) continue;
    const spelling = spellings.find((one) => !isUnset(wire[one], field.default === true));
    if (spelling === undefined) continue;
    const value = wire[spelling];
    const parsed = field.schema.safeParse(value);
    values[name] = parsed.success ? parsed.data : value;
  }
  return values as Values<Table>;
}

/**
 * The one form in which values are compared: without what is a default, sets in order, spellings made one. Secrets
 * are left out, as no read returns them.
 */
export function canonicalFields(table: Fields, values: object): ByName {
  const canonical: ByName = {};
  for (const { name, field } of indexOf(table).rows) {
    const given = (values as ByName)[name];
    const isTrueByDefault = field.default === true;
    if (field.secret || isUnset(given, isTrueByDefault)) continue;
    let value = field.canonical === undefined ? given : field.canonical(given as never);
    if (field.isSet && Array.isArray(value)) value = [...new Set(value)].sort();
    if (isUnset(value, isTrueByDefault) || (field.default !== undefined && isSame(value, field.default)))
      continue;
    canonical[name] = value;
  }
  return canonical;
}

/** Whether two values are the same as JSON, whatever the order of the names in their maps. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  // An undefined value counts as missing.
  return (
    Object.keys(one).every((name) =>
      isSame(one[name], Object.hasOwn(other, name) ? other[name] : undefined),
    ) && Object.keys(other).every((name) => other[name] === undefined || Object.hasOwn(one, name))
  );
}

/** JSON with the names of maps in order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : typeof inner === 'bigint'
        ? String(inner)
        : inner,
  );
}
