import { quoted, shown } from '../graph/values/go.ts';
import { type Claims, claim, listOf } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginRole } from './login-role.ts';

/**
 * Checks that the claims carry, for every bound claim, one of its values. Types are strict: a `true` in the token
 * never equals a bound `"true"`, and a number in a list equals nothing. With globs, `*` stands for any text, and only texts match.
 *
 * @throws LoginRefused at step `bound_claims`
 */
export function checkBoundClaims(role: LoginRole, claims: Claims): void {
  for (const [name, bound] of Object.entries(role.boundClaims ?? {})) {
    const refused = (reason: LoginReason, message: string) =>
      new LoginRefused(reason, `error validating claims: ${message}`, name);
    const claimed = claim(claims, name);
    if (claimed === undefined)
      throw refused(LoginReason.boundClaimMissing, `claim ${quoted(name)} is missing`);
    const values = listOf(claimed);
    if (values === undefined) {
      throw refused(
        LoginReason.boundClaimMalformed,
        `received claim is not a string, bool, int or list: ${shown(claimed)}`,
      );
    }
    const boundValue: unknown = bound;
    if (listOf(boundValue) === undefined) {
      throw refused(
        LoginReason.boundClaimMalformed,
        `bound claim is not a string, bool, int or list: ${shown(boundValue)}`,
      );
    }
    const isGlob = role.boundClaimsType === 'glob';
    const matches = [bound].flat().some((expected: unknown) => {
      if (!isGlob) return values.some((value) => value === expected && isComparable(value, claimed));
      if (typeof expected === 'string') {
        return values.some((value) => typeof value === 'string' && matchesGlob(expected, value));
      }
      throw refused(
        LoginReason.boundClaimMalformed,
        `received claim is not a glob string: ${shown(expected)}`,
      );
    });
    if (!matches) {
      throw refused(
        LoginReason.boundClaimDiffers,
        `claim ${quoted(name)} does not match any associated bound claim values`,
      );
    }
  }
}

/**
 * Whether a service compares the value. Numbers are compared by their digits, and only where the claim is one itself;
 * from 2^53 on, what was bound cannot be told any more from its neighbors.
 */
function isComparable(value: unknown, claimed: unknown): boolean {
  return typeof value === 'number'
    ? value === claimed && Number.isSafeInteger(value)
    : typeof value !== 'object';
}

/** In time that grows with the lengths alone: the pattern is an administrator's, the text is a stranger's. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const position = text.indexOf(part, at);
    if (position < 0) return false;
    at = position + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
