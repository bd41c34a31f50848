import { z } from 'zod';
import type { Field, Fields, FieldType } from '../../../core/model/resources/field.ts';
import { emptyValues, wireFields } from '../protocol/fields.ts';
import type { Operation } from '../protocol/path.ts';

/** What an operation of a path takes and answers: the service's documentation of itself, which a test holds to it. */
export interface OperationSchema {
  /** In a few words, as a list of operations has it. */
  summary: string;
  /** Fields of the body. Handlers read them more leniently (`fields.ts`): a number is taken for a text, for example. */
  body?: z.ZodType;
  /** Parameters of the query, each a text. */
  query?: string[];
  /** `data` or `auth` of the answer, the `whole` body where it is not wrapped, or `text`. Defaults to nothing: 204. */
  answer?: { data: z.ZodType } | { auth: z.ZodType } | { whole: z.ZodType } | { text: z.ZodType };
  /** Whether an accepted request may answer nothing although there is an `answer`. Defaults to false. */
  mayBeEmpty?: boolean;
}

/** By the pattern of a path, then by operation. */
export type PathSchemas = Record<string, Partial<Record<Operation, OperationSchema>>>;

/** A boolean as the wire takes it. */
export const flag = z.union([z.boolean(), z.string(), z.number()]);
/** A list, or one text with commas between. */
export const list = z.union([z.array(z.string()), z.string()]);
/** Seconds, or a text like `1h30m`. */
export const duration = z.union([z.number(), z.string()]);
/** Texts by name, or `name=value` texts. */
export const pairs = z.union([z.record(z.string(), z.string()), z.array(z.string())]);

export const texts = z.array(z.string());
export const textsByName = z.record(z.string(), z.string());
/** RFC 3339. */
export const instant = z.string();
/** A map of anything. */
export const map = z.record(z.string(), z.unknown());

/** The answer of a list without more about each. */
export const keys = { data: z.strictObject({ keys: texts }) };

/** The answer of a list that says something about each. */
export function keysWith(info: z.ZodType) {
  return { data: z.strictObject({ keys: texts, key_info: z.record(z.string(), info) }) };
}

/** Several fields of one type. */
export function all<Type extends z.ZodType, Name extends string>(type: Type, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;
}

/** Several fields that are each a string. */
export function strings<Name extends string>(...names: Name[]) {
  return all(z.string(), ...names);
}

const keySets = z.array(z.object({ jwks_url: z.string(), jwks_ca_pem: z.string().optional() }));
const text = ({ schema }: Field) => (schema instanceof z.ZodEnum ? schema : z.string());

const inputs: Record<FieldType, (field: Field) => z.ZodType> = {
  text,
  instant: () => instant,
  flag: () => flag,
  integer: () => z.union([z.int(), z.string()]),
  seconds: () => duration,
  texts: () => list,
  textsByName: () => pairs,
  claims: () => map,
  providerConfig: () => map,
  keySets: () => keySets,
};

const outputs: Record<FieldType, (field: Field) => z.ZodType> = {
  text,
  instant: () => instant,
  flag: () => z.boolean(),
  integer: () => z.int(),
  seconds: () => z.int(),
  texts: () => texts,
  textsByName: () => textsByName,
  claims: () => map,
  providerConfig: () => map,
  keySets: () => keySets,
};

/** The fields of a resource as a body has them, older names included. */
export function bodyFields(table: Fields): Record<string, z.ZodType> {
  const fields = wireFields(table).flatMap(([name, field]) => {
    const schema = inputs[field.type](field);
    const own = [name, field.required ? schema : schema.optional()] as const;
    return field.older === undefined ? [own] : [own, [field.older, schema.optional()] as const];
  });
  return Object.fromEntries(fields);
}

/**
 * The fields of a resource as an answer has them, secrets left out.
 *
 * @param isNullable Whether a list, map or time of this name is null while it is not set. Defaults to never.
 */
export function answerFields(table: Fields, isNullable: (name: string) => boolean = () => false) {
  const fields = wireFields(table).flatMap(([name, field]) => {
    if (field.secret) return [];
    const schema = outputs[field.type](field);
    const mayBeNull = !field.required && hasNull(field) && isNullable(name);
    const own = [name, mayBeNull ? schema.nullable() : schema] as const;
    return field.older === undefined ? [own] : [own, [field.older, schema.optional()] as const];
  });
  return Object.fromEntries(fields) as Record<string, z.ZodType>;
}

function hasNull({ type }: Field): boolean {
  return type === 'instant' || typeof emptyValues[type] === 'object';
}
