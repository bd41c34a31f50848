import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { placeOf } from '../../login/claims.ts';
import { isTokenRole, scopesOf } from './conditions.ts';

/** How a role reads the groups of a person. Where both texts are the same, it finds the same person in the same groups. */
export interface GroupReading {
  /** The claim, or the directory that is asked instead. Empty for a role that reads no groups. */
  from: string;
  /** The scopes with which the provider is asked for the claim. Empty where a token is presented. */
  scopes: string;
}

export const readsNone: GroupReading = { from: '', scopes: '' };

export function groupReading(role: Role, method: AuthMethod | undefined): GroupReading {
  const { groupsClaim, name } = role;
  // Roles that are elsewhere have no name here: one of them may read groups.
  if (!groupsClaim && name !== '') return readsNone;
  const given = method?.config.providerConfig;
  const claim = placeOf(groupsClaim ?? '');
  if (given?.provider !== 'workspace_suite' || !given.fetchGroups)
    return { from: JSON.stringify(claim), scopes: scopeText(role) };
  const { suiteServiceAccount, suiteAdminImpersonate, groupsRecurseMaxDepth } = given;
  const directory = [suiteServiceAccount, suiteAdminImpersonate, groupsRecurseMaxDepth];
  return { from: JSON.stringify([claim, directory]), scopes: '' };
}

function scopeText(role: Role): string {
  return isTokenRole(role) ? '' : JSON.stringify(scopesOf(role).toSorted());
}
