import { isObject } from './json.ts';
import { splitTextList } from './text-list.ts';

type LooseObject = Record<string, unknown>;

/** A value, if it is a text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Any value as a text: an object's own `toString` is data. */
export function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The texts of a list, or of one text with commas. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return splitTextList(value);
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** A map of texts; other values as text. Undefined where there is none. */
export function textMap(value: unknown): Record<string, string> | undefined {
  const object = objectOf(value);
  if (object === undefined || Object.keys(object).length === 0) return undefined;
  return Object.fromEntries(Object.entries(object).map(([name, inner]) => [name, asText(inner)]));
}

/** A block: Terraform has a list of one, Pulumi the one itself. */
export function blockOf(value: unknown): LooseObject | undefined {
  return objectOf(Array.isArray(value) ? value[0] : value);
}

/** A value, if it is an object. */
export function objectOf(value: unknown): LooseObject | undefined {
  return isObject(value) ? value : undefined;
}

/** A path without slashes around it. */
export function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** An object without what is undefined in it: what was not given is absent, not there without a value. */
export function defined<Given extends object>(object: Given): Given {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Given;
}
