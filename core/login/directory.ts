import type { Claims } from './claims.ts';
import type { LoginRole } from './login-role.ts';

/** What knows more of a person than the token says; asked where the provider config of a method says so. */
export interface Directory {
  /**
   * The claims with what the directory tells of the person, for `claim_mappings` and `bound_claims`.
   *
   * @throws LoginRefused at step `claim_mappings`
   */
  withUserInfo(role: LoginRole, claims: Claims): Promise<Claims>;
  /**
   * The claims with the person's groups in the role's `groups_claim`. Asked for roles that have one.
   *
   * @throws LoginRefused at step `groups`
   */
  withGroups(role: LoginRole, claims: Claims): Promise<Claims>;
}
