import { isDeepStrictEqual } from 'node:util';
import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from '../../engine/property-value.ts';

/**
 * A property value as it may be shown: secrets and unknown values are placeholders, references are names.
 * Whatever prints sees only these, so that no secret can reach an output.
 */
export type ShownValue =
  | null
  | boolean
  | number
  | string
  | Placeholder
  | ShownValue[]
  | { [name: string]: ShownValue };

/** Text that stands for a value, as against a string that is one. */
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
/** Of any type: the engine does not know it either. Written as Pulumi writes it. */
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

/** Whether a value is a secret or has one in it. */
export function containsSecret(value: PropertyValue | undefined): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (value instanceof Secret) return true;
  if (value instanceof Unknown || value instanceof ResourceReference) return false;
  return Object.values(value).some(containsSecret);
}

/** Whether two values are the same to a service: marks of secrecy do not count, an absent value is null. */
export function sameValue(one: PropertyValue | undefined, other: PropertyValue | undefined): boolean {
  return isDeepStrictEqual(unmarked(one ?? null), unmarked(other ?? null));
}

function unmarked(value: PropertyValue): PropertyValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Secret) return unmarked(value.value);
  if (value instanceof Unknown || value instanceof ResourceReference) return value;
  if (Array.isArray(value)) return value.map(unmarked);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unmarked(inner)]));
}
