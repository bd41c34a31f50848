import type { MethodConfig } from '../model/resources/auth-method.ts';
import type { RoleFields } from '../model/resources/role.ts';

export type BoundValue = string | number | boolean;

/** What a sign-in reads of a role. A role of a declared or a live state is one. */
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
  /** A service can hold what an environment cannot declare: booleans and numbers. */
  boundClaims?: Record<string, BoundValue | BoundValue[]>;
}

/** What a sign-in reads of the configuration of its auth method. */
export type LoginConfig = Pick<MethodConfig, 'boundIssuer' | 'jwtSupportedAlgs' | 'oidcClientId'>;
