import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import type { LoginStep } from '../../src/login/login-refused.ts';

/** What is changed in a sign-in that is good, in the words of the wire, so that one step refuses it. */
export interface Break {
  step: LoginStep;
  /** What the secrets service says. */
  message: string;
  config?: object;
  role?: object;
  claims?: object;
  /** The method was never configured. */
  isUnconfigured?: true;
  /** No role is named. */
  namesNoRole?: true;
  /** The role that is named was never written. */
  hasNoRole?: true;
  sendsNoToken?: true;
  signsWithStranger?: true;
}

const [own, stranger] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
if (own === undefined || stranger === undefined) throw new Error('two keys were made');
export const publicKey: KeyObject = own.publicKey;
export const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const now = Math.floor(Date.now() / 1000);

/** A sign-in that is good, and reads of the token whatever a role can make it read. */
export const good = {
  config: { jwt_validation_pubkeys: [publicPem], bound_issuer: 'https://issuer.example' },
  role: {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['app'],
    bound_subject: 'alice',
    claim_mappings: { email: 'mail' },
    groups_claim: 'groups',
    bound_claims: { team: 'a' },
  },
  claims: {
    sub: 'alice',
    aud: 'app',
    iss: 'https://issuer.example',
    iat: now,
    nbf: now,
    exp: now + 3600,
    email: 'alice@example.com',
    groups: ['admins'],
    team: 'a',
  },
};

const token = 'error validating token: ';

/** Every way to be refused, in the order of docs/inside/measured/sign-in.md#jwt-login-in-this-order. */
export const breaks: Record<string, Break> = {
  'no configuration': { step: 'role', message: 'could not load configuration', isUnconfigured: true },
  'no role named': { step: 'role', message: 'missing role', namesNoRole: true },
  'no such role': { step: 'role', message: 'role "reader" could not be found', hasNoRole: true },
  'a role for OIDC': {
    step: 'request',
    message: 'role with oidc role_type is not allowed',
    role: { role_type: 'oidc', allowed_redirect_uris: ['http://localhost:8250/oidc/callback'] },
  },
  'no token': { step: 'request', message: 'missing token', sendsNoToken: true },
  'another address': {
    step: 'source_address',
    message: 'permission denied',
    role: { token_bound_cidrs: ['10.0.0.0/8'] },
  },
  'another key': {
    step: 'token',
    message: `${token}error verifying token signature: no known key successfully validated the token signature`,
    signsWithStranger: true,
  },
  'another algorithm': {
    step: 'token',
    message: `${token}invalid algorithm (alg) header parameter: token signed with unexpected algorithm`,
    config: { jwt_supported_algs: ['ES256'] },
  },
  'another issuer': {
    step: 'token',
    message: `${token}invalid issuer (iss) claim`,
    claims: { iss: 'https://evil.example' },
  },
  'another subject': {
    step: 'token',
    message: `${token}invalid subject (sub) claim`,
    claims: { sub: 'mallory' },
  },
  'another audience': {
    step: 'token',
    message: `${token}invalid audience (aud) claim: audience claim does not match any expected audience`,
    claims: { aud: 'elsewhere' },
  },
  'not yet valid': {
    step: 'token',
    message: `${token}invalid not before (nbf) claim: token not yet valid`,
    claims: { nbf: now + 600 },
  },
  expired: {
    step: 'token',
    message: `${token}invalid expiration time (exp) claim: token is expired`,
    claims: { exp: now - 600 },
  },
  'issued in the future': {
    step: 'token',
    message: `${token}invalid issued at (iat) claim: token issued in the future`,
    claims: { iat: now + 600 },
  },
  'an audience where none is bound': {
    step: 'audience',
    message: 'audience claim found in JWT but no audiences bound to the role',
    role: { bound_audiences: [] },
  },
  'no user claim': {
    step: 'user_claim',
    message: 'claim "gone" not found in token',
    role: { user_claim: 'gone' },
  },
  'a mapped claim that is no text': {
    step: 'claim_mappings',
    message: "error converting claim 'email' to string",
    claims: { email: 7 },
  },
  'no groups': {
    step: 'groups',
    message: 'failed to fetch groups: "groups" claim not found in token',
    claims: { groups: undefined },
  },
  'no bound claim': {
    step: 'bound_claims',
    message: 'error validating claims: claim "team" is missing',
    claims: { team: undefined },
  },
  'a policy that no sign-in gives': {
    step: 'session',
    message: 'cannot assign policy "response-wrapping"',
    role: { token_policies: ['response-wrapping'] },
  },
};

/** Where no audience is bound, none is another one: the two cannot be had at once. */
const apart = ['another audience', 'an audience where none is bound'];

/** Every two ways to be refused at once, the earlier one first. */
export const pairs: [string, string][] = Object.keys(breaks).flatMap((first, index, all) =>
  all
    .slice(index + 1)
    .filter((second) => !(apart.includes(first) && apart.includes(second)))
    .map((second): [string, string] => [first, second]),
);

/** A sign-in that is broken in several ways at once. */
export async function broken(...given: string[]) {
  const all = given.map((name) => breaks[name] as Break);
  const merged = (part: 'config' | 'role' | 'claims') =>
    Object.assign({}, good[part], ...all.map((one) => one[part])) as Record<string, unknown>;
  const is = (flag: 'isUnconfigured' | 'namesNoRole' | 'hasNoRole' | 'sendsNoToken' | 'signsWithStranger') =>
    all.some((one) => one[flag] === true);
  const key = is('signsWithStranger') ? stranger : own;
  const jwt = await new CompactSign(Buffer.from(JSON.stringify(merged('claims'))))
    .setProtectedHeader({ alg: 'RS256' })
    .sign((key as typeof own & {}).privateKey);
  return {
    config: is('isUnconfigured') ? undefined : merged('config'),
    role: is('hasNoRole') ? undefined : merged('role'),
    login: { role: is('namesNoRole') ? '' : 'reader', jwt: is('sendsNoToken') ? '' : jwt },
  };
}
