import { quoted, shown } from '../graph/values/go.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { type Claims, own } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginRole } from './login-role.ts';

/** Policies that no token gets by a sign-in (openbao/openbao vault/policy_store.go, `nonAssignablePolicies`). */
const notAssignable = ['response-wrapping'];

/**
 * The checks of the service after the auth method accepts a sign-in: the policies of the role, with claims filled in
 * if the role says so, and the name of the alias.
 *
 * @returns the policies of the role, as the token has them; a template that cannot be worked out here stays as it is.
 * @throws LoginRefused at step `session`
 */
export function openSession(role: LoginRole, claims: Claims, name: string): string[] {
  const fill = role.tokenPoliciesTemplateClaims === true;
  const filled = (role.policies ?? []).map((text, index) => (fill ? filledIn(text, index, claims) : text));
  if (name === '') throw new LoginRefused(LoginReason.nameMissing, 'missing name in alias', role.userClaim);
  const tidied = filled.map(policyKey).filter((policy) => policy !== '');
  if (tidied.includes('root')) {
    throw new LoginRefused(LoginReason.policyNotGiven, 'auth methods cannot create root tokens');
  }
  const refused = tidied.find((policy) => notAssignable.includes(policy));
  if (refused !== undefined) {
    throw new LoginRefused(LoginReason.policyNotGiven, `cannot assign policy ${quoted(refused)}`);
  }
  return [...new Set(tidied)];
}

const action = /\{\{\s*((?:\.[\p{L}_][\p{L}\p{N}_]*)+)\s*\}\}/gu;

/** Whether the name is a template of Go's text/template that does more than name claims. */
export function isOpenTemplate(policy: string): boolean {
  return policy.replace(action, '').includes('{{');
}

/** The place of the claims that fill in the name of a policy. */
export function templatePlaces(policy: string): string[][] {
  return [...policy.matchAll(action)].map(([, path = '']) => path.slice(1).split('.'));
}

/** Whether a policy cannot be given by a sign-in: a role with it lets no one in. */
export function isNotAssignable(policy: string): boolean {
  return ['root', ...notAssignable].includes(policyKey(policy));
}

function filledIn(template: string, index: number, claims: Claims): string {
  if (isOpenTemplate(template)) return template;
  return template.replace(action, (whole: string, path: string, at: number) => {
    const names = path.slice(1).split('.');
    // Go names the place of the second name, where there is one.
    const column = Buffer.byteLength(
      template.slice(0, at + whole.indexOf('.')) + (names.length > 1 ? `.${names[0]}` : ''),
    );
    const refused = (why: string) =>
      new LoginRefused(
        LoginReason.policyTemplate,
        `failed to template policy [${index}]: unable to apply template: template: template:1:${column}: executing "template" at <${path}>: ${why}`,
      );
    let value: unknown = claims;
    for (const name of names) {
      if (value === null) throw refused(`nil pointer evaluating interface {}.${name}`);
      if (typeof value !== 'object' || Array.isArray(value)) {
        throw refused(`can't evaluate field ${name} in type interface {}`);
      }
      if (!Object.hasOwn(value, name)) throw refused(`map has no entry for key ${quoted(name)}`);
      value = own(value, name);
    }
    return value === null ? '<no value>' : shown(value);
  });
}
