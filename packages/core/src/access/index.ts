export { type AccessChange, AccessKind, Answer, type ChangedPaths } from './access-change.ts';
export { type AccessDecision, decideAccess, uncertainOf } from './questions/change.ts';
export {
  type AskedService,
  type Explanation,
  explainSignIn,
  type PresentedSignIn,
  roleAsked,
  rolesNamed,
  type SignInNote,
} from './questions/explain-sign-in.ts';
export {
  groupsOf,
  principalsNamed,
  type Reached,
  type ReachOfRole,
  reachOf,
  reachOfPolicies,
} from './questions/reach.ts';
export {
  type Ability,
  type Question,
  Reach,
  strongestAnswer,
  type WhoCan,
} from './questions/who-can.ts';
export type { Giver } from './reasons/giver.ts';
export { type Reason, reasonKey } from './reasons/reason.ts';
export { isAddressIn } from './sign-in/address-ranges.ts';
export { mayLastLonger } from './sign-in/token-life.ts';
