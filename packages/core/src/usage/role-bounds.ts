import type { OtherAccess } from '../graph/graph.ts';
import { canonicalFields } from '../graph/resources/field.ts';
import { type Role, roleFields } from '../graph/resources/role.ts';

/** What policies of a token role that chooses are asked for, and all else that decides who gets a token. */
export function boundsIn(one: Role | OtherAccess): unknown {
  if (!('effect' in one)) return one;
  // Policies are looked at by themselves, where no one chooses among them.
  const { policies, ...bounds } = one.bounds;
  const isChosen = one.picks || one.isOpaque;
  return [bounds, one.isOpaque, one.picks, one.lifetime?.['token_num_uses'], isChosen && policies];
}

/** Who a token is for, and with which groups. */
export function tokenOf(role: Role): unknown {
  const { userClaim, userClaimJsonPointer, groupsClaim, claimMappings, ...rest } = fieldsOf(role);
  const { oauth2Metadata, oidcScopes, tokenPoliciesTemplateClaims } = rest;
  return [
    userClaim,
    userClaimJsonPointer,
    groupsClaim,
    claimMappings,
    oauth2Metadata,
    oidcScopes,
    tokenPoliciesTemplateClaims,
  ];
}

/** Limits of a sign-in or its token that are no bounds of claims. */
export function signInFields(role: Role): unknown {
  const { roleType, callbackMode, maxAge, allowedRedirectUris, ...rest } = fieldsOf(role);
  const { tokenStrictlyBindIp, tokenType, tokenBoundCidrs } = rest;
  return [
    roleType,
    callbackMode,
    maxAge,
    allowedRedirectUris,
    tokenStrictlyBindIp,
    tokenType,
    tokenBoundCidrs,
  ];
}

const fieldsOf = (role: Role) => canonicalFields(roleFields, role);

/** Whether tokens can be used less often. */
export function usedLess({ tokenNumUses: had = 0 }: Role, { tokenNumUses: has = 0 }: Role): boolean {
  return has > 0 && (had === 0 || has < had);
}
