import { z } from 'zod';
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
