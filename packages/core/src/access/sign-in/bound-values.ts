import { isHiddenText } from '../../graph/values/hidden-text.ts';

/** The values of a bound claim that a token can have: `like "a*" or "b"`. */
export function boundValues(bound: readonly unknown[], isGlob: boolean): string {
  const firstOther = isGlob ? bound.findIndex((value) => typeof value !== 'string') : -1;
  // Among patterns, what is no text refuses a token that is compared with it.
  const compared = firstOther < 0 ? bound : bound.slice(0, firstOther);
  const values = compared.filter((value) =>
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value !== 'object',
  );
  if (values.length === 0) return 'without a possible value';
  const isPattern = isGlob && values.some((value) => String(value).includes('*'));
  return `${isPattern ? 'like ' : ''}${quoted(values)}`;
}

export function quoted(values: unknown[]): string {
  // A placeholder for a hidden value is no value.
  const shown = (value: unknown) => (isHiddenText(value) ? value : JSON.stringify(value));
  return values.map(shown).join(' or ');
}
