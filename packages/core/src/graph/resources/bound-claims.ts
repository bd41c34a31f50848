import { z } from 'zod';
import { objectOf } from '../values/loose-values.ts';
import { type ByName, sortedJson } from './field.ts';

/** A value of a claim as a token has it. */
export type BoundValue = string | boolean | number;
/** Claim → values; one must match. */
export type BoundClaims = Record<string, BoundValue | BoundValue[]>;

const wholeNumber = 'must be a whole number below 2^53: a service compares no others';

const value = z.union(
  [
    z.string().min(1),
    z.boolean(),
    // Fractions and larger ones lose digits on their way.
    z.number().refine(Number.isSafeInteger, wholeNumber),
  ],
  {
    error: ({ input }) =>
      typeof input === 'number' ? wholeNumber : 'must be a text, a boolean or a whole number',
  },
);

/** Reads bound claims, each with one value or a list. Types stay: a token's `true` never equals `"true"`. */
export const boundClaims = z.record(
  z.string().min(1),
  z.union([value, z.array(value).min(1)], {
    error: ({ input }) => {
      const wrong = [input].flat().flatMap((one) => value.safeParse(one).error?.issues ?? []);
      return wrong[0]?.message ?? 'must be a text, a boolean, a whole number, or a list of these';
    },
  }),
);

/**
 * Whether the official resource of a role can hold them. It takes one text per claim, without blanks at its ends, and
 * splits it at commas unless told not to: then no claim has several.
 */
export function fitsOfficialRole(given: BoundClaims): boolean {
  const values = Object.values(given);
  const hasSeveral = values.some((one) => Array.isArray(one) && one.length > 1);
  return (
    values.flat().every((one) => typeof one === 'string' && one !== '' && one === one.trim()) &&
    !(hasSeveral && hasComma(given))
  );
}

/** Whether a text among them has one: then the official resource must not split them. */
export function hasComma(given: BoundClaims): boolean {
  return Object.values(given)
    .flat()
    .some((one) => typeof one === 'string' && one.includes(','));
}

/** One value is a list of one, and the order means nothing. The types of values do: `true` is not "true". */
export function canonicalClaims(bound: Record<string, unknown>): Record<string, unknown[]> {
  const inOrder = (values: unknown[]) =>
    [...new Map(values.map((value) => [sortedJson(value), value]))]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, value]) => value);
  return Object.fromEntries(
    Object.entries(bound).map(([claim, values]) => [claim, inOrder([values].flat())]),
  );
}

/** The claims of an official role, which splits texts at commas unless told not to. An empty one between commas is bound as well. */
export function plannedClaims({
  bound_claims: bound,
  disable_bound_claims_parsing: isWhole,
}: ByName): ByName {
  const split = (value: unknown) =>
    isWhole === true || typeof value !== 'string' || !value.includes(',')
      ? value
      : value.split(',').map((one) => one.trim());
  const claims = Object.entries(objectOf(bound) ?? {});
  return Object.fromEntries(claims.map(([claim, value]) => [claim, split(value)]));
}
