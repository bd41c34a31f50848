/**
 * What an environment declares, who signs in to it, and who can do what. Pure functions: no Pulumi, no file, no network,
 * no clock.
 *
 * ```ts
 * const environment = readEnvironment({ config, readFile });
 * const reach = new Reach(declare(environment), now);
 * reach.whoCan({ capability: 'read', path: 'secret/data/prod/*' }).answer; // 'yes', 'no' or 'unknown'
 * ```
 *
 * @module
 */
export {
  type Ability,
  type AccessDecision,
  decideAccess,
  type Giver,
  groupsOf,
  type Question,
  Reach,
  type Reached,
  type ReachOfRole,
  type Reason,
  reachOf,
  type WhoCan,
} from '@gatehouse/core/access';
export type { ConfigSource, Environment } from '@gatehouse/core/environment';
export { declare } from '@gatehouse/core/environment';
export type { Change } from '@gatehouse/core/graph';
export { emptyGraph, type Graph } from '@gatehouse/core/graph';
export type { Claims, Directory, LoginRole, SignedIn } from '@gatehouse/core/login';
export {
  type Attempt,
  type KeySet,
  keysFromJwks,
  LoginReason,
  LoginRefused,
  LoginStep,
  type SignInArgs,
  signIn,
  signInByClaims,
  type VerificationKey,
} from '@gatehouse/core/login';
export { readEnvironment, ruleOptions } from '@gatehouse/core/review';
export { GatehouseError } from '@gatehouse/core/values';
export { giverWords, reasonWords } from '@gatehouse/core/words';
