import { isDeepStrictEqual } from 'node:util';
import { type PropertyMap, type PropertyValue, ResourceReference, Secret, Unknown } from '@gatehouse/engine';

/**
 * A property value for printing: secrets and unknown values are placeholders, references are names. Printing code sees
 * nothing else, so no secret can reach an output.
 */
export type ShownValue =
  | null
  | boolean
  | number
  | string
  | Placeholder
  | ShownValue[]
  | { [name: string]: ShownValue };

/** Stands for a value that is not shown; a string would be a value itself. */
export class Placeholder {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** In JSON it is a string, as in `pulumi preview --json`. */
  toJSON(): string {
    return this.text;
  }
}

export const hidden = new Placeholder('[secret]');
/** Stands for a value of any type that the engine does not know yet. Written as in Pulumi. */
export const unknown = new Placeholder('output<string>');

export function shownValue(value: PropertyValue): ShownValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Secret) return hidden;
  if (value instanceof Unknown) return unknown;
  if (value instanceof ResourceReference) {
    return typeof value.id === 'string' ? value.id : new Placeholder(value.urn);
  }
  if (Array.isArray(value)) return value.map(shownValue);
  return shownProperties(value);
}

/** Without the properties that engines and plugins keep for themselves (`__defaults` and the like). */
export function shownProperties(properties: PropertyMap): { [name: string]: ShownValue } {
  return Object.fromEntries(
    Object.keys(properties)
      .filter((name) => !name.startsWith('__'))
      .sort()
      .map((name) => [name, shownValue(properties[name] ?? null)]),
  );
}

/** Whether a value has names of its own: no list, no mark, nothing plain. */
export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  const isMark = value instanceof Secret || value instanceof Unknown || value instanceof ResourceReference;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isMark;
}

export function containsSecret(value: PropertyValue | undefined): boolean {
  if (value instanceof Secret) return true;
  return (Array.isArray(value) || isMap(value)) && Object.values(value).some(containsSecret);
}

/** Whether two values are the same to a service: secret or not does not count, and an absent value is null. */
export function sameValue(before: PropertyValue | undefined, after: PropertyValue | undefined): boolean {
  return isDeepStrictEqual(unmarked(before ?? null), unmarked(after ?? null));
}

/** The value without the marks of secrets. */
export function unmarked(value: PropertyValue): PropertyValue {
  return withSecrets(value, (secret) => unmarked(secret.value));
}

/** A value with something else in the place of each secret. */
export function withSecrets(value: PropertyValue, instead: (secret: Secret) => PropertyValue): PropertyValue {
  if (value instanceof Secret) return instead(value);
  if (Array.isArray(value)) return value.map((entry) => withSecrets(entry, instead));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, withSecrets(entry, instead)]),
  );
}
