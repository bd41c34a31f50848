import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { placeOf } from '../../login/claims.ts';
import { isTokenRole } from './conditions.ts';
import { scopesOf } from './scoped-claims.ts';

/** How a role reads the groups of a person: two roles with the same find a person in the same groups. */
export interface GroupReading {
  /** The claim, or the directory that is asked instead. Empty for a role that reads no groups. */
  from: string;
  /** The scopes with which the provider is asked for the claim, sorted. Absent where a token is presented. */
  scopes?: readonly string[];
  /** How deep a directory is searched for groups around those of the person. Defaults to 0. */
  depth?: number;
}

export function groupReading(role: Role, method: AuthMethod | undefined): GroupReading {
  const { groupsClaim, name } = role;
  // Roles that are elsewhere have no name here: one of them may read groups.
  if (!groupsClaim && name !== '') return { from: '' };
  const given = method?.config.providerConfig;
  const claim = placeOf(groupsClaim ?? '');
  if (given?.provider === 'workspace_suite' && given.fetchGroups) {
    const { suiteServiceAccount, suiteAdminImpersonate, groupsRecurseMaxDepth: depth } = given;
    return { from: JSON.stringify([claim, suiteServiceAccount, suiteAdminImpersonate]), depth };
  }
  const from = JSON.stringify(claim);
  return isTokenRole(role) ? { from } : { from, scopes: scopesOf(role).toSorted() };
}

/** Whether a role that reads groups one way finds a person in all groups in which one that reads them the other way does. */
export function findsAll(reading: GroupReading, other: GroupReading): boolean {
  if (other.from === '') return true;
  const { from, scopes, depth = 0 } = reading;
  if (from !== other.from || depth < (other.depth ?? 0)) return false;
  if (scopes === undefined || other.scopes === undefined) return scopes === other.scopes;
  // A scope brings more claims, or more of one.
  return other.scopes.every((scope) => scopes.includes(scope));
}
