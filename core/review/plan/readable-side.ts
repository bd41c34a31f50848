import { type Fields, fieldNamed } from '../../model/resources/field.ts';
import { tables } from '../../model/resources/tables.ts';
import type { PlannedSide, ReviewedType } from './planned-resource.ts';

/**
 * Takes values that are not of the kind their field has (a map where a list belongs) for unknown: nobody could say what
 * they come to.
 */
export function readableSide(type: ReviewedType, side: PlannedSide): PlannedSide {
  const wrong = Object.entries(side.fields)
    .filter(([field, value]) => !isReadable(type, field, value))
    .map(([field]) => field);
  if (wrong.length === 0) return side;
  const fields = Object.fromEntries(Object.entries(side.fields).filter(([field]) => !wrong.includes(field)));
  return { ...side, fields, unknown: [...side.unknown, ...wrong] };
}

function isReadable(type: ReviewedType, field: string, value: unknown): boolean {
  // A text is readable for every field: a list may be written so.
  if (value === null || typeof value === 'string') return true;
  if (type === 'group' && field === 'policies') return isTexts(value);
  if (type === 'policy' && field === 'policy') return false;
  if (type === 'role' && field === 'bound_claims') return isClaims(value);
  // Provider configs have values of their own kinds, and tell by themselves which they know.
  if ((type !== 'role' && type !== 'method') || field === 'provider_config') return true;
  const table: Fields = tables[type];
  return table[fieldNamed(table, field) ?? '']?.schema.safeParse(value).success ?? true;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A service can hold booleans and numbers in bound claims, too. */
function isClaims(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((bound) => [bound].flat().every((one) => typeof one !== 'object'));
}
