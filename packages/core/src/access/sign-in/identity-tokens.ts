import type { IdentityTokenRole } from '../../graph/nodes/credential-source.ts';
import { type AuthMethod, keySourcesOf } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { isObject, jsonIn } from '../../graph/values/json.ts';
import { checkBoundClaims } from '../../login/bound-claims.ts';
import { type Claims, claim, inside, placeOf } from '../../login/claims.ts';
import { LoginRefused } from '../../login/login-refused.ts';

/** Claims that the service itself sets (openbao vault/identity_store_oidc.go, `idToken`). */
const standard = ['iss', 'sub', 'aud', 'exp', 'iat', 'namespace', 'nonce', 'at_hash', 'c_hash', 'jti', 'nbf'];

/** Stands for what a template is filled in with. */
const filledIn = '\u0000';

/** Whether the keys of a method are those of a service's own identity tokens, or may be. */
export function trustsIdentityTokens(method: AuthMethod): boolean {
  return keySourcesOf(method).some(
    (text) => isHiddenText(text) || /(?:^|\/)identity\/oidc(?:\/|$)/.test(text),
  );
}

/** Whether a role lets in tokens of an identity token role, or may: what is not known fits. */
export function mayAcceptIdentityToken(source: IdentityTokenRole, role: Role): boolean {
  const { clientId, template, isUnsigned = false } = source;
  const { boundAudiences = [], userClaim, roleType } = role;
  if (roleType !== 'jwt' || isUnsigned) return false;
  const isBound = boundAudiences.length > 0 && clientId !== undefined;
  if (isBound && !boundAudiences.some((text) => text === clientId || isHiddenText(text))) return false;
  const claims = template === undefined ? undefined : claimsOf(template);
  return claims === undefined || (hasClaim(claims, userClaim) && mayMeet(role, claims));
}

/** Whether a role lets in all tokens of an identity token role, as far as neither subject nor namespace decides it. */
export function surelyAcceptsIdentityToken(source: IdentityTokenRole, role: Role): boolean {
  const { clientId, template } = source;
  const { boundAudiences = [], userClaim, boundClaims = {} } = role;
  const claims = template === undefined ? undefined : claimsOf(template);
  if (claims === undefined || clientId === undefined || !mayAcceptIdentityToken(source, role)) return false;
  const isSure = (name: string) => standard.includes(placeOf(name)[0] ?? '') || !isOpen(claims, name);
  const names = [userClaim, ...Object.keys(boundClaims)];
  const isHidden = [...names, ...Object.values(boundClaims).flat()].some(isHiddenText);
  const isAudience = boundAudiences.length === 0 || boundAudiences.includes(clientId);
  return !isHidden && names.every(isSure) && isAudience;
}

/** Whether two identity token roles lead to the same sign-ins: nothing but the subject says who it is, and it stays. */
export function tellsPeopleApart({ userClaim, groupsClaim, claimMappings = {} }: Role): boolean {
  return userClaim !== 'sub' || Boolean(groupsClaim) || Object.keys(claimMappings).length > 0;
}

/** What a template adds to a token; undefined for a text that is not read. */
function claimsOf(template: string): Claims | undefined {
  if (template === '') return {};
  const text = template.replace(/\{\{[^{}]*\}\}/g, JSON.stringify(filledIn));
  const json = jsonIn(text);
  return isObject(json) ? json : undefined;
}

function hasClaim(claims: Claims, name: string): boolean {
  return isOpen(claims, name) || claim(claims, name) !== undefined || Object.hasOwn(claims, name);
}

/** Whether a claim may be anything: it is of the service itself, or is filled in, or is within what is filled in. */
function isOpen(claims: Claims, name: string): boolean {
  const place = placeOf(name);
  if (standard.includes(place[0] ?? '')) return true;
  let value: unknown = claims;
  for (const step of place) {
    value = inside(value, step);
    if (isFilledIn(value)) return true;
  }
  return isFilledIn([value]);
}

/** Whether a text of a value is filled in. */
function isFilledIn(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some(isFilledIn)
    : typeof value === 'string' && value.includes(filledIn);
}

/** Whether the claims may meet the bound ones: those of the service itself, and those that are filled in, may be anything. */
function mayMeet(role: Role, claims: Claims): boolean {
  const decided = Object.entries(role.boundClaims ?? {}).filter(([name, values]) => {
    const isHidden = [name, ...[values].flat()].some(isHiddenText);
    return !isHidden && !isOpen(claims, name);
  });
  try {
    checkBoundClaims({ ...role, boundClaims: Object.fromEntries(decided) }, claims);
    return true;
  } catch (error) {
    if (error instanceof LoginRefused) return false;
    throw error;
  }
}
