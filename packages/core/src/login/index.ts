export { quoted } from '../graph/values/go.ts';
export { type Claims, claim, listOf, own, withClaim } from './claims.ts';
export type { TokenRules } from './compact-token.ts';
export { checkIdToken } from './id-token.ts';
export { type Directory, identify, type SignedIn } from './identify.ts';
export { type KeySet, keyFromPem, keysFromJwks, type VerificationKey } from './key-set.ts';
export { LoginReason, LoginRefused, LoginStep } from './login-refused.ts';
export type { LoginRole } from './login-role.ts';
export {
  type Attempt,
  checkBoundSubject,
  findRole,
  type SignInArgs,
  signIn,
  signInByClaims,
} from './sign-in.ts';
export { type Keys, verifySignature } from './signature.ts';
