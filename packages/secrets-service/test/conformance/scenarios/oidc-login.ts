import { codeFor, gone } from '../issuer.ts';
import { by, get, keep, post, type Scenario, type Step } from '../step.ts';
import { instants } from '../tokens.ts';

const uri = 'http://localhost:8250/oidc/callback';
const ofPage = 'https://vault.example.com/ui/vault/auth/o/oidc/callback';
const client = { oidc_discovery_url: '{issuer}', oidc_client_id: 'client', oidc_client_secret: 'secret' };
const url = (does: string, body: object): Step => by('', post(does, 'auth/o/oidc/auth_url', body));
const begin = (does: string, role: string, fields: object = {}): Step =>
  keep(
    {
      state: 'data.auth_url?state',
      nonce: 'data.auth_url?nonce',
      challenge: 'data.auth_url?code_challenge',
    },
    url(does, { role, redirect_uri: uri, client_nonce: 'mine', ...fields }),
  );
const callback = (does: string, query: string): Step => by('', get(does, `auth/o/oidc/callback?${query}`));
const role = (does: string, name: string, fields: object): Step =>
  post(does, `auth/o/role/${name}`, { user_claim: 'sub', allowed_redirect_uris: [uri], ...fields });
/** A login from its beginning to its end. */
const login = (does: string, role: string, claims: object, userInfo?: object): Step[] => [
  begin(`${does}, begun`, role),
  callback(does, `state={state}&client_nonce=mine&code=${codeFor(claims, userInfo)}`),
];

const { now } = instants;
/** ID tokens by what is in them besides a subject, an issuer, an audience, times and the nonce. */
const idTokens: Record<string, object> = {
  'no subject': { sub: gone },
  'an empty subject': { sub: '' },
  'a subject that is a number': { sub: 7 },
  'no issuer': { iss: gone },
  'the issuer with a slash': { iss: '{issuer}/' },
  'another issuer with signs': { iss: 'a"b\u0007' },
  'no nonce': { nonce: gone },
  'no audience': { aud: gone },
  'no audience for a client that is named': { aud: gone, azp: 'client' },
  'an empty list of audiences': { aud: [] },
  'an audience that is null': { aud: null },
  'an audience that is a number': { aud: 7 },
  'a number among the audiences': { aud: ['client', 7] },
  'a list of its audience': { aud: ['client'] },
  'two audiences': { aud: ['client', 'other'] },
  'two audiences, issued to the client': { aud: ['client', 'other'], azp: 'client' },
  'two audiences of others, issued to the client': { aud: ['one', 'other'], azp: 'client' },
  'another audience, issued to the client': { aud: 'other', azp: 'client' },
  'an authorized party of another': { azp: 'other' },
  'an authorized party of null': { azp: null },
  'an authorized party that is a number': { azp: 1.5 },
  'an authorized party that is a list': { azp: ['client'] },
  'no expiry': { exp: gone },
  'an expiry a few seconds ago': { exp: now - 5 },
  'an expiry that is a text': { exp: `${now + 600}` },
  'an expiry that is no number': { exp: 'soon' },
  'an expiry that is null': { exp: null },
  'no time of issue': { iat: gone },
  'no time of issue and no expiry': { iat: gone, exp: gone },
  'issued in half a minute': { iat: now + 30 },
  'issued in two minutes': { iat: now + 120 },
  'not valid for four minutes': { nbf: now + 240 },
  'not valid for six minutes': { nbf: now + 360 },
  'a start that is null': { nbf: null },
  'a start that is no number': { nbf: {} },
  'another issuer, after its end': { iss: 'x', exp: 1 },
  'another nonce, issued in the future': { nonce: 'other', iat: now + 120 },
  'another subject and party': { sub: gone, azp: 'other' },
  'the hash of another access token': { at_hash: 'FAXpzWs6D3cpWDhTM7GwCw' },
  'the hash of its access token': { at_hash: 'FAvtv5w_bVaphG0rpwiHmA' },
  'an age that none asked for': { auth_time: 'x' },
};
/** Answers of the userinfo endpoint. */
const userInfos: Record<string, object> = {
  'the subject': { sub: 'ann', team: 'a' },
  'another subject': { sub: 'bob', team: 'a' },
  'no subject': { team: 'a' },
  'its issuer': { sub: 'ann', iss: '{issuer}', team: 'a' },
  'another issuer': { sub: 'ann', iss: 'https://other.example', team: 'a' },
  'an issuer that is a number': { sub: 'ann', iss: 7, team: 'a' },
  'other audiences': { sub: 'ann', aud: ['x'], team: 'a' },
  'an address that is a number': { sub: 'ann', email: 7, team: 'a' },
  'a verified address, as text': { sub: 'ann', email: 'a@b.example', email_verified: 'true', team: 'a' },
  'a verified address, maybe': { sub: 'ann', email_verified: 'maybe', team: 'a' },
  'null for a claim': { sub: 'ann', team: null },
  'a list': ['ann'],
};

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
      role('a role bound to several audiences', 'audience3', { bound_audiences: ['a', 'b'] }),
      ...login('one of the audiences', 'audience3', { sub: 'ann', aud: 'a' }),
      ...login('one of the audiences, issued to the client', 'audience3', {
        sub: 'ann',
        aud: 'a',
        azp: 'client',
      }),
      ...login('one of the audiences and the client', 'audience3', { sub: 'ann', aud: ['a', 'client'] }),
      role('a role that the caller’s address is not for', 'elsewhere', { token_bound_cidrs: '10.0.0.0/8' }),
      ...login('from an address that is not allowed', 'elsewhere', { sub: 'ann' }),
      role('a role with an age', 'age', { max_age: '1h' }),
      begin('asks for the age', 'age'),
      ...login('no age', 'age', { sub: 'ann' }),
      ...login('an age that is a text', 'age', { sub: 'ann', auth_time: 'x' }),
      ...login('an age within the leeway', 'age', { sub: 'ann', auth_time: now - 3630 }),
      ...login('an age beyond the leeway', 'age', { sub: 'ann', auth_time: now - 3700 }),
      ...login('an age in the future', 'age', { sub: 'ann', auth_time: now + 600 }),
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
    name: 'logins at a provider, by its ID token',
    steps: [
      post('configuring it', 'auth/o/config', client),
      role('a role', 'id', { claim_mappings: { team: 'team', iss: 'iss' } }),
      ...Object.entries(idTokens).flatMap(([does, claims]) => login(does, 'id', { sub: 'ann', ...claims })),
    ],
  },
  {
    name: 'logins at a provider, by its userinfo',
    steps: Object.entries(userInfos).flatMap(([does, info]) => login(does, 'id', { sub: 'ann' }, info)),
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
