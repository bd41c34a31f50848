import type { Json } from '../storage/storage.ts';
import { Refusal } from './refusal.ts';

/**
 * What a request says in its body, read as leniently and refused with the same texts as real servers do
 * (openbao/openbao sdk/framework/field_data.go): a field that is absent is undefined, one that is null is empty.
 */
export type Fields = { [name: string]: Json };

/** A field that is refused by itself. On most paths the service puts something before its text (service.ts). */
export class FieldRefusal extends Refusal {
  readonly problem: string;

  constructor(name: string, problem: string) {
    super(400, `error converting input for field "${name}": ${problem}`);
    this.problem = problem;
  }
}

/** A text; numbers and booleans are taken as text. */
export function textField(fields: Fields, name: string): string | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  return asText(fields[name] ?? null) ?? unconvertible(name, 'string', fields[name] ?? null);
}

/** True or false; numbers and `"true"`, `"1"`, `"f"` … are taken for one. */
export function flagField(fields: Fields, name: string): boolean | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? null;
  if (given === null || given === '') return false;
  if (typeof given === 'boolean') return given;
  if (typeof given === 'number') return given !== 0;
  if (typeof given !== 'string') return unconvertible(name, 'bool', given);
  if (/^(1|t|T|true|TRUE|True)$/.test(given)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(given)) return false;
  throw invalid(name, "'' cannot parse value as 'bool': strconv.ParseBool: invalid syntax");
}

/** A list of texts, each without blanks around it; one text is split at its commas. */
export function listField(fields: Fields, name: string): string[] | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? null;
  if (given === null || given === '') return [];
  if (Array.isArray(given)) {
    return given.map((one) => (asText(one) ?? unconvertible(name, 'string', one)).trim());
  }
  const text = asText(given) ?? unconvertible(name, 'string', given);
  return text.split(',').map((one) => one.trim());
}

/** Texts by name: an object, or `name=value` texts. */
export function pairsField(fields: Fields, name: string): Record<string, string> | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? null;
  if (given === null) return {};
  if (isMap(given)) {
    const entries = Object.entries(given);
    return Object.fromEntries(
      entries.map(([key, value]) => [key, asText(value) ?? unconvertible(name, 'string', value)]),
    );
  }
  const texts = Array.isArray(given) ? given : [given];
  return Object.fromEntries(
    texts.map((one, index) => {
      const pair = /^([^=]*)=(.*)$/s.exec(asText(one) ?? '');
      if (pair === null) throw invalid(name, `invalid key pair at index ${index} in field "${name}"`);
      return [pair[1] ?? '', pair[2] ?? ''];
    }),
  );
}

/** An object of any values. */
export function mapField(fields: Fields, name: string): Fields | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? null;
  if (given === null) return {};
  return isMap(given) ? given : unconvertible(name, 'map[string]interface {}', given);
}

function asText(given: Json): string | undefined {
  if (given === null) return '';
  if (typeof given === 'boolean') return given ? '1' : '0';
  return typeof given === 'object' ? undefined : String(given);
}

function isMap(given: Json): given is Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function unconvertible(name: string, wanted: string, given: Json): never {
  let found: string = typeof given;
  if (isMap(given)) found = 'map[string]interface {}';
  if (Array.isArray(given)) found = '[]interface {}';
  throw invalid(name, `'' expected type '${wanted}', got unconvertible type '${found}'`);
}

function invalid(name: string, problem: string): Refusal {
  return new FieldRefusal(name, problem);
}
