import type { Field, Fields, FieldType } from '@gatehouse/core/graph';
import { z } from 'zod';
import { emptyValues, wireFields } from './fields.ts';

export const flag = z.union([z.boolean(), z.string(), z.number()]);
/** A list, or one comma-separated string. */
export const list = z.union([z.array(z.string()), z.string()]);
/** Seconds, or a text like `1h30m`. */
export const duration = z.union([z.number(), z.string()]);
/** A map of strings, or `name=value` strings. */
export const pairs = z.union([z.record(z.string(), z.string()), z.array(z.string())]);

export const texts = z.array(z.string());
export const textsByName = z.record(z.string(), z.string());
/** RFC 3339. */
export const instant = z.string();
export const map = z.record(z.string(), z.unknown());

export const keys = { data: z.strictObject({ keys: texts }) };

export function keysWith(info: z.ZodType) {
  return { data: z.strictObject({ keys: texts, key_info: z.record(z.string(), info) }) };
}

export function all<Type extends z.ZodType, Name extends string>(type: Type, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;
}

export function strings<Name extends string>(...names: Name[]) {
  return all(z.string(), ...names);
}

const keySets = z.array(z.object({ jwks_url: z.string(), jwks_ca_pem: z.string().optional() }));

/** How a request and a response hold each type of field. */
const schemas: Record<Exclude<FieldType, 'text'>, readonly [input: z.ZodType, output: z.ZodType]> = {
  instant: [instant, instant],
  flag: [flag, z.boolean()],
  integer: [z.union([z.int(), z.string()]), z.int()],
  seconds: [duration, z.int()],
  texts: [list, texts],
  textsByName: [pairs, textsByName],
  claims: [map, map],
  providerConfig: [map, map],
  keySets: [keySets, keySets],
};

function schemaOf({ type, schema }: Field, side: 'input' | 'output'): z.ZodType {
  if (type !== 'text') return schemas[type][side === 'input' ? 0 : 1];
  return schema instanceof z.ZodEnum ? schema : z.string();
}

/** The fields of a resource in a request body, older names included. */
export function bodyFields(table: Fields): Record<string, z.ZodType> {
  const fields = wireFields(table).flatMap(([name, field]) => {
    const schema = schemaOf(field, 'input');
    const own = [name, field.required ? schema : schema.optional()] as const;
    return field.older === undefined ? [own] : [own, [field.older, schema.optional()] as const];
  });
  return Object.fromEntries(fields);
}

/**
 * The fields of a resource in a response, without secrets.
 *
 * @param isNullable Whether a list, map or time of this name is null while unset. Defaults to never.
 */
export function answerFields(table: Fields, isNullable: (name: string) => boolean = () => false) {
  const fields = wireFields(table).flatMap(([name, field]) => {
    if (field.secret) return [];
    const schema = schemaOf(field, 'output');
    const mayBeNull = !field.required && hasNull(field) && isNullable(name);
    const own = [name, mayBeNull ? schema.nullable() : schema] as const;
    return field.older === undefined ? [own] : [own, [field.older, schema.optional()] as const];
  });
  return Object.fromEntries(fields) as Record<string, z.ZodType>;
}

function hasNull({ type }: Field): boolean {
  return type === 'instant' || typeof emptyValues[type] === 'object';
}
