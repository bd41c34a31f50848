import { type OtherRole, picksPolicies } from '../graph/nodes/other-role.ts';
import { type AuthMethod, tuneFields } from '../graph/resources/auth-method.ts';
import {
  type Bearing,
  type ByName,
  canonicalFields,
  type Fields,
  type NamesBearing,
} from '../graph/resources/field.ts';
import { type Role, roleFields } from '../graph/resources/role.ts';

/** What policies of a token role that chooses are asked for, and all else that decides who gets a token. */
export function boundsIn(role: Role | OtherRole): unknown {
  if (!('kind' in role)) return role;
  // Policies are looked at by themselves, where no one chooses among them.
  const { policies, ...bounds } = role.bounds;
  const isPicked = picksPolicies(role);
  const isChosen = isPicked || role.isOpaque;
  return [bounds, role.isOpaque, isPicked, role.lifetime?.['token_num_uses'], isChosen && policies];
}

type BearingOnAccess = NamesBearing<typeof roleFields, 'access'>;

/** Decide with which groups and policies a token comes, as fields that bear on identity decide whom it is for. */
const ofToken: readonly string[] = [
  'groupsClaim',
  'oidcScopes',
  'tokenPoliciesTemplateClaims',
] satisfies BearingOnAccess[];

/**
 * Judged by what they let in or give (access/sign-in/conditions.ts, `policiesOfRole`, `usedLess`). Every other field that
 * bears on access must be the same for a sign-in to be the same.
 */
export const judgedByMeaning: readonly string[] = [
  'boundAudiences',
  'boundSubject',
  'boundClaims',
  'boundClaimsType',
  'clockSkewLeeway',
  'expirationLeeway',
  'notBeforeLeeway',
  'oidcDisableConfirmation',
  'policies',
  'tokenNoDefaultPolicy',
  'tokenNumUses',
] satisfies BearingOnAccess[];

/** The fields of a table that bear on something, of values in the form in which they are compared. */
function fieldsBearing(table: Fields, bearing: Bearing, values: object): [name: string, value: unknown][] {
  return Object.entries(canonicalFields(table, values)).filter(([name]) => table[name]?.bearsOn === bearing);
}

/** Who a token is for, and with which groups. */
export function tokenOf(role: Role): ByName {
  const access = fieldsBearing(roleFields, 'access', role).filter(([name]) => ofToken.includes(name));
  return Object.fromEntries([...fieldsBearing(roleFields, 'identity', role), ...access]);
}

/** Limits of a sign-in or its token that are no bounds of claims. */
export function signInFields(role: Role): ByName {
  const isLimit = ([name]: [string, unknown]) => !ofToken.includes(name) && !judgedByMeaning.includes(name);
  return Object.fromEntries(fieldsBearing(roleFields, 'access', role).filter(isLimit));
}

/** Limits that the method of a sign-in adds. */
export function methodLimits(method: AuthMethod | undefined): unknown {
  return [method?.type, Object.fromEntries(fieldsBearing(tuneFields, 'access', method?.tune ?? {}))];
}

/** Whether tokens can be used less often. */
export function usedLess({ tokenNumUses: before = 0 }: Role, { tokenNumUses: after = 0 }: Role): boolean {
  return after > 0 && (before === 0 || after < before);
}
