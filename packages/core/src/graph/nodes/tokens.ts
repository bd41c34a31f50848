import type { ByName } from '../resources/field.ts';
import { otherTypes } from '../resources/other-types.ts';
import { policiesIn } from '../resources/policy.ts';
import { bearingOfField } from '../resources/trust.ts';
import { defined } from '../values/loose-values.ts';
import { type Bounds, boundsOf } from './bounds.ts';

/** Tokens with the same policies and entity: what they were issued with stays until they end, whatever becomes of a role. */
export interface IssuedTokens {
  kind: 'issuedTokens';
  policies: string[];
  entity?: string;
  /** Path of a method where their entity has an alias: they have the groups of that method as well. */
  method?: string;
  /** Its entity is disabled, so that they open nothing while that lasts. Defaults to false. */
  isOfDisabled?: true;
}

/** A token that a plan makes. */
export interface PlannedToken extends Bounds {
  kind: 'token';
  /** Its display name, or the address of its resource. */
  name: string;
  address: string;
  policies: string[];
}

export function issuedTokens(policies: readonly string[], entity?: string, method?: string): IssuedTokens {
  return { kind: 'issuedTokens', policies: [...policies], ...defined({ entity, method }) };
}

/** @param fields of its resource, by names on the wire */
export function plannedToken(name: string, address: string, fields: ByName): PlannedToken {
  const { bounds: all, lifetime } = boundsOf(fields, ['name', ...otherTypes.token.lookedAt]);
  const policies = policiesIn(fields, ['policies']);
  // No sign-in is bounded by what its maker sets. A field that no table has may bound it.
  const unknown = Object.entries(all).filter(([field]) => bearingOfField(field) === undefined);
  const bounds = Object.fromEntries(unknown);
  return { kind: 'token', name, address, policies, bounds, ...defined({ lifetime }) };
}
