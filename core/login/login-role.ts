import type { MethodConfig } from '../model/resources/auth-method.ts';
import type { BoundValue } from '../model/resources/bound-claims.ts';
import type { RoleFields } from '../model/resources/role.ts';

export type { BoundValue };

/** What a sign-in reads of a role. A role of a declared or a live graph is one. */
export interface LoginRole
  extends Pick<
    RoleFields,
    | 'boundAudiences'
    | 'boundSubject'
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
  > {
  name: string;
  roleType: 'oidc' | 'jwt';
  userClaim: string;
  boundClaims?: Record<string, BoundValue | BoundValue[]>;
}

/** What a sign-in reads of the configuration of its auth method. */
export type LoginConfig = Pick<MethodConfig, 'boundIssuer' | 'jwtSupportedAlgs' | 'oidcClientId'>;
