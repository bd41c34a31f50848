import { codeFor } from '../issuer.ts';
import { get, post, type Scenario, type Step } from '../step.ts';

const uri = 'http://localhost:8250/oidc/callback';
const nobody = { token: '' };
const begin = (does: string, role: string, more: object = {}): Step =>
  post(
    does,
    'auth/o/oidc/auth_url',
    { role, redirect_uri: uri, client_nonce: 'mine', ...more },
    {
      token: '',
      keep: {
        state: 'data.auth_url?state',
        nonce: 'data.auth_url?nonce',
        challenge: 'data.auth_url?code_challenge',
      },
    },
  );
const callback = (does: string, query: string): Step => get(does, `auth/o/oidc/callback?${query}`, nobody);
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
      post(
        'beginning before it is configured',
        'auth/o/oidc/auth_url',
        { role: 'r', redirect_uri: uri },
        nobody,
      ),
      callback('ending before it is configured', 'state=x&code=y'),
      post('configuring it', 'auth/o/config', {
        oidc_discovery_url: '{issuer}',
        oidc_client_id: 'client',
        oidc_client_secret: 'secret',
      }),
      post('a role', 'auth/o/role/r', {
        user_claim: 'sub',
        allowed_redirect_uris: [uri, 'https://vault.example.com/ui/vault/auth/o/oidc/callback'],
        policies: 'o-read',
        ttl: '1h',
      }),
      post('no role', 'auth/o/oidc/auth_url', { redirect_uri: uri }, nobody),
      post('a role that is none', 'auth/o/oidc/auth_url', { role: 'none', redirect_uri: uri }, nobody),
      post('no redirect URI', 'auth/o/oidc/auth_url', { role: 'r' }, nobody),
      post(
        'a redirect URI of another',
        'auth/o/oidc/auth_url',
        {
          role: 'r',
          redirect_uri: 'https://evil.example/oidc/callback',
        },
        nobody,
      ),
      post(
        'a redirect URI with another path',
        'auth/o/oidc/auth_url',
        {
          role: 'r',
          redirect_uri: 'http://localhost:8250/other',
        },
        nobody,
      ),
      post('a redirect URI that is none', 'auth/o/oidc/auth_url', { role: 'r', redirect_uri: '::' }, nobody),
      get('beginning by GET', 'auth/o/oidc/auth_url', nobody),
      begin('begins', 'r'),
      begin('begins on loopback at any port', 'r', { redirect_uri: 'http://localhost:9999/oidc/callback' }),
      begin('begins for a page', 'r', {
        redirect_uri: 'https://vault.example.com/ui/vault/auth/o/oidc/callback',
      }),
      begin('begins without a client nonce', 'r', { client_nonce: '' }),
      callback('no state', 'code=x'),
      callback('a state that is none', 'state=none&code=x'),
      ...login('signs in', 'r', { sub: 'ann' }),
      callback('a state a second time', `state={state}&client_nonce=mine&code=${codeFor({ sub: 'ann' })}`),
      begin('begins again', 'r'),
      callback('another client nonce', `state={state}&client_nonce=other&code=${codeFor({ sub: 'ann' })}`),
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
      post(
        'posting to the callback without form_post',
        'auth/o/oidc/callback',
        { state: 'x', code: 'y' },
        nobody,
      ),
    ],
  },
  {
    name: 'logins at a provider, by what the role asks for',
    steps: [
      post('a role with groups', 'auth/o/role/groups', {
        user_claim: 'email',
        groups_claim: 'groups',
        oidc_scopes: ['email', 'groups'],
        claim_mappings: { name: 'name' },
        allowed_redirect_uris: [uri],
      }),
      ...login('groups and mapped claims', 'groups', {
        sub: 'ann',
        email: 'ann@example.com',
        groups: ['one'],
        name: 'Ann',
      }),
      ...login('no groups', 'groups', { sub: 'ann', email: 'ann@example.com' }),
      ...login('no user claim', 'groups', { sub: 'ann', groups: [] }),
      post('a role for one subject', 'auth/o/role/one', {
        user_claim: 'sub',
        bound_subject: 'ann',
        allowed_redirect_uris: [uri],
      }),
      ...login('its subject', 'one', { sub: 'ann' }),
      ...login('another', 'one', { sub: 'bob' }),
      post('a role for some', 'auth/o/role/some', {
        user_claim: 'sub',
        bound_claims: { team: 'one' },
        allowed_redirect_uris: [uri],
      }),
      ...login('one of them', 'some', { sub: 'ann', team: 'one' }),
      ...login('not one of them', 'some', { sub: 'ann', team: 'two' }),
      post('a role bound to an audience', 'auth/o/role/audience', {
        user_claim: 'sub',
        bound_audiences: ['client'],
        allowed_redirect_uris: [uri],
      }),
      ...login('its audience', 'audience', { sub: 'ann' }),
      post('a role that the caller’s address is not for', 'auth/o/role/elsewhere', {
        user_claim: 'sub',
        token_bound_cidrs: '10.0.0.0/8',
        allowed_redirect_uris: [uri],
      }),
      ...login('from an address that is not allowed', 'elsewhere', { sub: 'ann' }),
      post('a role with an age', 'auth/o/role/age', {
        user_claim: 'sub',
        max_age: '1h',
        allowed_redirect_uris: [uri],
      }),
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
      post('configuring form_post', 'auth/o/config', {
        oidc_discovery_url: '{issuer}',
        oidc_client_id: 'client',
        oidc_client_secret: 'secret',
        oidc_response_mode: 'form_post',
      }),
      begin('begins', 'r', { redirect_uri: 'https://vault.example.com/ui/vault/auth/o/oidc/callback' }),
      post('a state that is none', 'auth/o/oidc/callback', 'state=none&code=x', {
        token: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
  },
];
