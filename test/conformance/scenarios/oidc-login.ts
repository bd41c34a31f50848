import { codeFor } from '../issuer.ts';
import { by, get, keep, post, type Scenario, type Step } from '../step.ts';

const uri = 'http://localhost:8250/oidc/callback';
const ofPage = 'https://vault.example.com/ui/vault/auth/o/oidc/callback';
const client = { oidc_discovery_url: '{issuer}', oidc_client_id: 'client', oidc_client_secret: 'secret' };
const url = (does: string, body: object): Step => by('', post(does, 'auth/o/oidc/auth_url', body));
const begin = (does: string, role: string, more: object = {}): Step =>
  keep(
    {
      state: 'data.auth_url?state',
      nonce: 'data.auth_url?nonce',
      challenge: 'data.auth_url?code_challenge',
    },
    url(does, { role, redirect_uri: uri, client_nonce: 'mine', ...more }),
  );
const callback = (does: string, query: string): Step => by('', get(does, `auth/o/oidc/callback?${query}`));
const role = (does: string, name: string, more: object): Step =>
  post(does, `auth/o/role/${name}`, { user_claim: 'sub', allowed_redirect_uris: [uri], ...more });
/** A login from its beginning to its end. */
const login = (does: string, role: string, claims: object): Step[] => [
  begin(`${does}, begun`, role),
  callback(does, `state={state}&client_nonce=mine&code=${codeFor(claims)}`),
];

export const oidcLogin: Scenario[] = [
  {
    name: 'logins at a provider',
    steps: [
      post('enabling a method', 'sys/auth/o', { type: 'oidc' }),
      url('beginning before it is configured', { role: 'r', redirect_uri: uri }),
      callback('ending before it is configured', 'state=x&code=y'),
      post('configuring it', 'auth/o/config', client),
      role('a role', 'r', { allowed_redirect_uris: [uri, ofPage], policies: 'o-read', ttl: '1h' }),
      url('no role', { redirect_uri: uri }),
      url('a role that is none', { role: 'none', redirect_uri: uri }),
      url('no redirect URI', { role: 'r' }),
      url('a redirect URI of another', { role: 'r', redirect_uri: 'https://evil.example/oidc/callback' }),
      url('a redirect URI with another path', { role: 'r', redirect_uri: 'http://localhost:8250/other' }),
      url('a redirect URI that is none', { role: 'r', redirect_uri: '::' }),
      by('', get('beginning by GET', 'auth/o/oidc/auth_url')),
      begin('begins', 'r'),
      begin('begins on loopback at any port', 'r', { redirect_uri: 'http://localhost:9999/oidc/callback' }),
      begin('begins for a page', 'r', { redirect_uri: ofPage }),
      begin('begins without a client nonce', 'r', { client_nonce: '' }),
      callback('no state', 'code=x'),
      callback('a state that is none', 'state=none&code=x'),
      ...login('signs in', 'r', { sub: 'ann' }),
      callback('a state a second time', `state={state}&client_nonce=mine&code=${codeFor({ sub: 'ann' })}`),
      begin('begins again', 'r'),
      callback('another client nonce', `state={state}&client_nonce=other&code=${codeFor({ sub: 'ann' })}`),
      callback(
        'its own client nonce then',
        `state={state}&client_nonce=mine&code=${codeFor({ sub: 'ann' })}`,
      ),
      begin('begins a third time', 'r'),
      callback('no client nonce', `state={state}&code=${codeFor({ sub: 'ann' })}`),
      begin('begins a fourth time', 'r'),
      callback('no code', 'state={state}&client_nonce=mine'),
      begin('begins a fifth time', 'r'),
      callback('a code that the provider does not know', 'state={state}&client_nonce=mine&code=x'),
      begin('begins a sixth time', 'r'),
      callback('an error of the provider', 'state={state}&client_nonce=mine&error=access_denied'),
      begin('begins a seventh time', 'r'),
      callback('an error that is none', 'state={state}&client_nonce=mine&error=oh+my'),
      ...login('an id token for another nonce', 'r', { sub: 'ann', nonce: 'other' }),
      ...login('an id token for another client', 'r', { sub: 'ann', aud: 'other' }),
      ...login('an id token of another issuer', 'r', { sub: 'ann', iss: 'https://other.example' }),
      ...login('an id token that has expired', 'r', { sub: 'ann', iat: 1, exp: 2 }),
      by(
        '',
        post('posting to the callback without form_post', 'auth/o/oidc/callback', { state: 'x', code: 'y' }),
      ),
    ],
  },
  {
    name: 'logins at a provider, by what the role asks for',
    steps: [
      role('a role with groups', 'groups', {
        user_claim: 'email',
        groups_claim: 'groups',
        oidc_scopes: ['email', 'groups'],
        claim_mappings: { name: 'name' },
      }),
      ...login('groups and mapped claims', 'groups', {
        sub: 'ann',
        email: 'ann@example.com',
        groups: ['one'],
        name: 'Ann',
      }),
      ...login('no groups', 'groups', { sub: 'ann', email: 'ann@example.com' }),
      ...login('no user claim', 'groups', { sub: 'ann', groups: [] }),
      role('a role for one subject', 'one', { bound_subject: 'ann' }),
      ...login('its subject', 'one', { sub: 'ann' }),
      ...login('another', 'one', { sub: 'bob' }),
      role('a role for some', 'some', { bound_claims: { team: 'one' } }),
      ...login('one of them', 'some', { sub: 'ann', team: 'one' }),
      ...login('not one of them', 'some', { sub: 'ann', team: 'two' }),
      role('a role bound to an audience', 'audience', { bound_audiences: ['client'] }),
      ...login('its audience', 'audience', { sub: 'ann' }),
      role('a role bound to another audience', 'audience2', { bound_audiences: ['other'] }),
      ...login('another audience', 'audience2', { sub: 'ann' }),
      role('a role that the caller’s address is not for', 'elsewhere', { token_bound_cidrs: '10.0.0.0/8' }),
      ...login('from an address that is not allowed', 'elsewhere', { sub: 'ann' }),
      role('a role with an age', 'age', { max_age: '1h' }),
      begin('asks for the age', 'age'),
      post('a role of type jwt', 'auth/o/role/jwt', {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_subject: 'x',
      }),
      begin('beginning with a role of type jwt', 'jwt'),
      post('a method without a client', 'auth/o/config', { oidc_discovery_url: '{issuer}' }),
      begin('beginning without a client', 'r'),
    ],
  },
  {
    name: 'logins at a provider that posts its answer',
    steps: [
      post('configuring form_post', 'auth/o/config', { ...client, oidc_response_mode: 'form_post' }),
      begin('begins', 'r', { redirect_uri: ofPage }),
      post('a state that is none', 'auth/o/oidc/callback', 'state=none&code=x', {
        token: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
  },
];
