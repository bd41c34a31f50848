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
export { type AccessDecision, decideAccess } from '../../core/access/questions/change.ts';
export { groupsOf, type Reached, type ReachOfRole, reachOf } from '../../core/access/questions/reach.ts';
export { type Ability, type Question, Reach, type WhoCan } from '../../core/access/questions/who-can.ts';
export type { Claims } from '../../core/login/claims.ts';
export type { Directory, SignedIn } from '../../core/login/identify.ts';
export { type KeySet, keysFromJwks, type VerificationKey } from '../../core/login/key-set.ts';
export { LoginReason, LoginRefused, LoginStep } from '../../core/login/login-refused.ts';
export type { LoginRole } from '../../core/login/login-role.ts';
export { type Attempt, type SignInArgs, signIn, signInByClaims } from '../../core/login/sign-in.ts';
export type { Change } from '../../core/model/change.ts';
export { declare } from '../../core/model/declared.ts';
export type { Environment } from '../../core/model/environment.ts';
export type { ConfigSource } from '../../core/model/environment-config.ts';
export { emptyGraph, type Graph } from '../../core/model/graph.ts';
export { GatehouseError } from '../../core/model/values/errors.ts';
export { ruleOptions } from '../../core/rules/rule-options.ts';
export { readEnvironment } from '../../core/rules/rules.ts';
