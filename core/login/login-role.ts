import type { MethodConfig } from '../model/resources/auth-method.ts';
import type { Role } from '../model/resources/role.ts';

export type { BoundValue } from '../model/resources/bound-claims.ts';

/** What a sign-in reads of a role. A role of a declared or a live graph is one. */
export type LoginRole = Pick<
  Role,
  | 'name'
  | 'roleType'
  | 'userClaim'
  | 'boundAudiences'
  | 'boundSubject'
  | 'boundClaims'
  | 'boundClaimsType'
  | 'claimMappings'
  | 'clockSkewLeeway'
  | 'expirationLeeway'
  | 'groupsClaim'
  | 'notBeforeLeeway'
  | 'policies'
  | 'tokenBoundCidrs'
  | 'tokenPoliciesTemplateClaims'
  | 'userClaimJsonPointer'
>;

/** What a sign-in reads of the configuration of its auth method. */
export type LoginConfig = Pick<MethodConfig, 'boundIssuer' | 'jwtSupportedAlgs' | 'oidcClientId'>;
