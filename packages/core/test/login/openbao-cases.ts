import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
export const pems = [rsa, ec, ed, small].map(({ publicKey }) => pem(publicKey));
const [forSecrets, forOthers, nameless] = [1, 2, 3].map(() =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
);
const jwk = ({ publicKey }: { publicKey: KeyObject }, fields: object) => ({
  ...publicKey.export({ format: 'jwk' }),
  ...fields,
});
export const jwks = {
  keys: [
    jwk(rsa, { kid: 'one', use: 'sig', alg: 'RS256' }),
    jwk(forSecrets!, { kid: 'enc', use: 'enc' }),
    jwk(forOthers!, { kid: 'alg', alg: 'RS512' }),
    jwk(nameless!, {}),
  ],
};

const now = Math.floor(Date.now() / 1000);
export const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };
export const claims = { sub: 'alice', aud: 'app', iss: 'https://issuer.example', iat: now, exp: now + 600 };

export interface Case {
  config?: object;
  role?: object;
  claims?: object;
  header?: { alg: string; [name: string]: unknown };
  key?: KeyObject;
  /** Changes the token after it was signed. */
  change?: (token: string) => string;
  /** True: both refuse the token before its claims are read, each in its own words. */
  malformed?: boolean;
  published?: boolean;
  /**
   * Our own rules refuse it on purpose, whatever OpenBao says
   * (docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725).
   */
  stricter?: boolean;
}

const base64url = (value: string | object) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const replacePart = (index: number, part: string) => (token: string) =>
  token.split('.').with(index, part).join('.');
/** Signs a payload or a header that no library would write. */
const signed = (header: string, payload: string, by = rsa) => {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), by.privateKey).toString('base64url')}`;
};

const payload = JSON.stringify(claims);
const mapParts = (change: (part: string) => string) => (token: string) =>
  token.split('.').map(change).join('.');
/** The same bytes, with bits left over in the last letter set. */
const withLeftOvers = (part: string) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return part.length % 4 === 0 ? part : part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? '') | 1];
};

/** Forms of a token that our own rules refuse; OpenBao takes many of them. */
const forms: Record<string, (token: string) => string> = {
  'a blank before the token': (token) => ` ${token}`,
  'a line feed in each part': mapParts((part) => `${part.slice(0, 5)}\n${part.slice(5)}`),
  'a no-break space': mapParts((part) => `${part.slice(0, 5)}\u00a0${part.slice(5)}`),
  'padding behind the header': (token) => token.replace('.', '==.'),
  'padding behind the signature': (token) => `${token}==`,
  'bits left over': () => mapParts(withLeftOvers)(signed('{"alg": "RS256"}', `${payload} `)),
  'the other base64 alphabet': () =>
    signed('{"alg":"RS256"}', payload.replace('alice', '???>>>')).replaceAll('_', '/'),
  'a fourth part': (token) => `${token}.`,
  'JSON, flattened': (token) => {
    const [header, body, signature] = token.split('.');
    return JSON.stringify({ payload: body, protected: header, signature });
  },
  'JSON with one signature': (token) => {
    const [header, body, signature] = token.split('.');
    return JSON.stringify({ payload: body, signatures: [{ protected: header, signature }] });
  },
  'an empty list of critical headers': () => signed('{"alg":"RS256","crit":[]}', payload),
  'the critical header b64': () => signed('{"alg":"RS256","crit":["b64"],"b64":true}', payload),
  'an unknown critical header': () => signed('{"alg":"RS256","crit":["x"],"x":1}', payload),
  'a critical header that is a text': () => signed('{"alg":"RS256","crit":"b64"}', payload),
  'no base64, and base64 signed': () => signed('{"alg":"RS256","crit":["b64"],"b64":false}', payload),
  'no base64': () => {
    const header = base64url({ alg: 'RS256', crit: ['b64'], b64: false });
    const by = sign('sha256', Buffer.from(`${header}.${payload}`), rsa.privateKey).toString('base64url');
    return `${header}.${base64url(payload)}.${by}`;
  },
  'a key id that is a number': () => signed('{"alg":"RS256","kid":7}', payload),
  'a key id that is null': () => signed('{"alg":"RS256","kid":null}', payload),
  'an algorithm that is a number': () => signed('{"alg":7}', payload),
  'no algorithm': () => signed('{}', payload),
  'the algorithm none': () => signed('{"alg":"none"}', payload),
  'a header that is no JSON': () => signed('x', payload),
  'a header that says something twice': () => signed('{"alg":"RS256","x":1,"x":2}', payload),
  'a key in the header that is none': () => signed('{"alg":"RS256","jwk":7}', payload),
  'a claim that is there twice': () => signed('{"alg":"RS256"}', payload.replace('{', '{"sub":"mallory",')),
  'a claim that is there twice further in': () =>
    signed('{"alg":"RS256"}', payload.replace('{', '{"a":{"b":1,"b":2},')),
  'a payload that is a list': () => signed('{"alg":"RS256"}', '[]'),
  'a payload that is null': () => signed('{"alg":"RS256"}', 'null'),
  'a payload that is no JSON': () => signed('{"alg":"RS256"}', 'x'),
  'a payload with a byte order mark': () => signed('{"alg":"RS256"}', `\ufeff${payload}`),
  'a payload with something behind it': () => signed('{"alg":"RS256"}', `${payload}x`),
  'a token of 100 KB': () => signed('{"alg":"RS256"}', payload.replace('{', `{"x":"${'x'.repeat(75_000)}",`)),
};
/** Those that are refused in the same words. */
const exact = Object.keys(forms).filter(
  (name) => !/JSON$|twice$|list$|none$|alphabet$|padding|mark$|behind it$/.test(name),
);

export const cases: Record<string, Case> = {
  // Signature and algorithm.
  'a good token': {},
  'a good token by the published keys': { published: true, header: { alg: 'RS256', kid: 'one' } },
  'a good token without a key id, by the published keys': { published: true },
  'an unknown key id': { published: true, header: { alg: 'RS256', kid: 'two' } },
  'a key id like a path': { published: true, header: { alg: 'RS256', kid: '../../one' } },
  'a key id that configured keys know nothing of': { header: { alg: 'RS256', kid: 'any' } },
  'another key': { key: stranger.privateKey },
  'another key, by the published keys': { key: stranger.privateKey, published: true },
  'PS256 with the RSA key': { header: { alg: 'PS256' } },
  'RS512 with the RSA key': { header: { alg: 'RS512' } },
  'ES256 with the EC key': { header: { alg: 'ES256' }, key: ec.privateKey },
  'EdDSA with the Ed25519 key': { header: { alg: 'EdDSA' }, key: ed.privateKey },
  'an algorithm that is not among the supported': {
    config: { jwt_supported_algs: ['RS256'] },
    header: { alg: 'ES256' },
    key: ec.privateKey,
  },
  'an algorithm that is among the supported': {
    config: { jwt_supported_algs: ['ES256'] },
    header: { alg: 'ES256' },
    key: ec.privateKey,
  },
  'no token': { change: () => '' },
  'a text': { change: () => 'nonsense', malformed: true },
  'two parts': { change: (token) => token.split('.').slice(0, 2).join('.'), malformed: true },
  'alg none': { change: (token) => `${base64url({ alg: 'none' })}.${token.split('.')[1]}.`, malformed: true },
  'alg None with a signature': { change: replacePart(0, base64url({ alg: 'None' })), malformed: true },
  'HS256 with the public key as its secret': {
    malformed: true,
    change(token) {
      const input = `${base64url({ alg: 'HS256' })}.${token.split('.')[1]}`;
      return `${input}.${createHmac('sha256', pems[0] ?? '')
        .update(input)
        .digest('base64url')}`;
    },
  },
  'no signature': { change: replacePart(2, ''), malformed: true },
  'a changed payload': { change: replacePart(1, base64url({ ...claims, sub: 'root' })) },
  'a changed header': { change: replacePart(0, base64url({ alg: 'RS384' })) },
  'an own key in the header': {
    header: { alg: 'RS256', jwk: stranger.publicKey.export({ format: 'jwk' }) },
    key: stranger.privateKey,
  },
  'a payload that is no object': { change: () => signed('{"alg":"RS256"}', '[]'), malformed: true },
  // What both leave out of account or refuse in the claims.
  'AUD and ISS for aud and iss': { claims: { AUD: 'app', aud: undefined } },
  // Issuer, subject, audience.
  'the bound issuer': { config: { bound_issuer: 'https://issuer.example' } },
  'another issuer': { config: { bound_issuer: 'https://issuer.example/' } },
  'no issuer where one is bound': { config: { bound_issuer: 'x' }, claims: { iss: undefined } },
  'the bound subject': { role: { bound_subject: 'alice' } },
  'another subject': { role: { bound_subject: 'bob' } },
  'a part of the bound audience': { claims: { aud: 'ap' } },
  'more than the bound audience': { claims: { aud: 'app2' } },
  'one of several audiences': { claims: { aud: ['x', 'app'] } },
  'no audience where one is bound': { claims: { aud: undefined } },
  'an audience where none is bound': { role: { bound_audiences: [], bound_subject: 'alice' } },
  'audiences where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: ['x'] },
  },
  'no audience where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: undefined },
  },
  'an empty list of audiences where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: [] },
  },
  // Times.
  'no times': { claims: { iat: undefined, exp: undefined } },
  'expired within the skew': { claims: { exp: now - 30 } },
  expired: { claims: { exp: now - 90 } },
  'expired without any skew': { role: { clock_skew_leeway: -1 }, claims: { exp: now - 30 } },
  'expired within a greater skew': { role: { clock_skew_leeway: 300 }, claims: { exp: now - 90 } },
  'not yet valid': { claims: { nbf: now + 120 } },
  'not yet valid within the skew': { claims: { nbf: now + 30 } },
  'issued in the future': { claims: { iat: now + 120, nbf: now } },
  'no expiry, issued lately': { claims: { exp: undefined, iat: now - 100 } },
  'no expiry, issued long ago': { claims: { exp: undefined, iat: now - 300 } },
  'no expiry, a greater leeway': {
    role: { expiration_leeway: 600 },
    claims: { exp: undefined, iat: now - 300 },
  },
  'no expiry, no leeway': { role: { expiration_leeway: -1 }, claims: { exp: undefined, iat: now - 100 } },
  'only an expiry, soon': { claims: { iat: undefined, exp: now + 100 } },
  'only an expiry, far away': { claims: { iat: undefined, exp: now + 600 } },
  'only an expiry, far away, a greater leeway': {
    role: { not_before_leeway: 900 },
    claims: { iat: undefined, exp: now + 600 },
  },
  'a time with a fraction': { claims: { exp: now + 100.5 } },
  // User claim.
  'no user claim': { role: { user_claim: 'email' } },
  'a user claim that is a number': { role: { user_claim: 'id' }, claims: { id: 7 } },
  'a user claim that is null': { role: { user_claim: 'id' }, claims: { id: null } },
  'a user claim by pointer': {
    role: { user_claim: '/a/b~1c', user_claim_json_pointer: true },
    claims: { a: { 'b/c': 'deep' } },
  },
  'a user claim like a pointer that is none': {
    role: { user_claim: '/a/b' },
    claims: { a: { b: 'deep' }, '/a/b': 'flat' },
  },
  // Claim mappings.
  mappings: {
    role: { claim_mappings: { email: 'mail', '/a/0': 'first', gone: 'gone' } },
    claims: { email: 'a@b.example', a: ['x'] },
  },
  'a mapping of a number': { role: { claim_mappings: { id: 'id' } }, claims: { id: 7 } },
  'a mapping of a list': { role: { claim_mappings: { aud: 'aud' } } },
  // Groups.
  groups: { role: { groups_claim: 'groups' }, claims: { groups: ['a', '', 'b'] } },
  'one group': { role: { groups_claim: 'groups' }, claims: { groups: 'a' } },
  'groups by pointer': { role: { groups_claim: '/r/groups' }, claims: { r: { groups: ['a'] } } },
  'no groups': { role: { groups_claim: 'groups' } },
  'an empty list of groups': { role: { groups_claim: 'groups' }, claims: { groups: [] } },
  'groups that are no list': { role: { groups_claim: 'groups' }, claims: { groups: { a: 1 } } },
  'a group that is a number': { role: { groups_claim: 'groups' }, claims: { groups: ['a', 7] } },
  'a group that is an object': { role: { groups_claim: 'groups' }, claims: { groups: [{ b: [1], a: 'x' }] } },
  'groups that are one number': { role: { groups_claim: 'groups' }, claims: { groups: 7 } },
  // Bound claims.
  'a bound claim': { role: { bound_claims: { team: 'a' } }, claims: { team: 'a' } },
  'a bound claim of other letters': { role: { bound_claims: { team: 'a' } }, claims: { team: 'A' } },
  'a bound claim that is missing': { role: { bound_claims: { team: 'a' } } },
  'a bound claim, one of several': { role: { bound_claims: { team: ['a', 'b'] } }, claims: { team: 'b' } },
  'a bound claim, a list': { role: { bound_claims: { team: 'b' } }, claims: { team: ['a', 'b'] } },
  'a bound claim, an empty list': { role: { bound_claims: { team: 'b' } }, claims: { team: [] } },
  'a bound claim, an object': {
    role: { bound_claims: { team: 'b' } },
    claims: { team: { x: [true, null] } },
  },
  'true for the text true': { role: { bound_claims: { admin: 'true' } }, claims: { admin: true } },
  'true for true': { role: { bound_claims: { admin: true } }, claims: { admin: true } },
  'a number for its text': { role: { bound_claims: { id: '7' } }, claims: { id: 7 } },
  'a number for a number': { role: { bound_claims: { id: 7 } }, claims: { id: 7 } },
  'a fraction for a whole number': { role: { bound_claims: { id: 7 } }, claims: { id: 7.9 } },
  'a bound claim by pointer': {
    role: { bound_claims: { '/k8s/namespace': 'shop' } },
    claims: { k8s: { namespace: 'shop' } },
  },
  'a pointer through a text': { role: { bound_claims: { '/team/x': 'a' } }, claims: { team: 'a' } },
  'a pointer at the prototype': { role: { bound_claims: { '/__proto__/x': 'a' } }, claims: { team: 'a' } },
  'a glob': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'a/*/c' } },
    claims: { ref: 'a/b/b/c' },
  },
  'a glob that ends otherwise': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'a/*/c' } },
    claims: { ref: 'a/b/c/d' },
  },
  'a glob whose ends overlap': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'ab*ba' } },
    claims: { ref: 'aba' },
  },
  'a bare star': { role: { bound_claims_type: 'glob', bound_claims: { ref: '*' } }, claims: { ref: '' } },
  'a glob and a number': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: '*' } },
    claims: { ref: 7 },
  },
  'a star where no globs are': { role: { bound_claims: { ref: 'a*' } }, claims: { ref: 'ab' } },
  // Numbers.
  'a number in a list': { role: { bound_claims: { id: 7 } }, claims: { id: [7] } },
  'a number for one of a list': { role: { bound_claims: { id: [7] } }, claims: { id: 7 } },
  'a number of 2^53 - 1': { role: { bound_claims: { id: 2 ** 53 - 1 } }, claims: { id: 2 ** 53 - 1 } },
  'a number beyond 64 bits': { role: { bound_claims: { id: 1e20 } }, claims: { id: 1e20 } },
  'true in a list': { role: { bound_claims: { admin: true } }, claims: { admin: [true] } },
  // Types of the registered claims.
  ...Object.fromEntries(
    [
      ...[null, [null], ['app', 7], {}, 7].map((aud) => ({ aud })),
      ...[7, null, {}, []].map((jti) => ({ jti })),
      ...[null, '5', '', {}, true, -1, 0, 9.2e18, 9.3e18, 1e19, 1e300].map((exp) => ({ exp })),
      ...[1e300, -1e300, 9.2e18].map((iat) => ({ iat })),
      ...[-9.2e18, 9.3e18].map((nbf) => ({ nbf })),
      ...[null, 7, true, []].map((iss) => ({ iss })),
      ...[null, false].map((sub) => ({ sub })),
      { sub: 7, aud: 7 },
      { iss: 7, nbf: '' },
      { iss: 7, exp: '' },
      { sub: 7, nbf: '' },
      { sub: 7, jti: 8 },
    ].map((one) => [`the claims ${JSON.stringify(one)}`, { claims: one }]),
  ),
  'an audience of null where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: null },
  },
  // Names that Go's %q writes otherwise than JSON.
  'a user claim of strange signs': { role: { user_claim: 'a\u0007\u007f\u2028\u{1f600}"\\\n\ufeff\u00a0' } },
  'a groups claim of strange signs': { role: { groups_claim: 'a\u0000\u000b\u0085\ue000\u{10ffff}ä' } },
  ...Object.fromEntries(
    ['00', '+0', '0x0', '-0', '01', '1', '-1', '08', '0b0', '0o0', '', '0.0', ' 0'].map((index) => [
      `a pointer into a list, index ${JSON.stringify(index)}`,
      { role: { user_claim: `/a/${index}`, user_claim_json_pointer: true }, claims: { a: ['x'] } },
    ]),
  ),
  // What the service checks behind the method.
  'an empty user claim': { role: { user_claim: 'name' }, claims: { name: '' } },
  'an empty user claim, and a bound one that is missing': {
    role: { user_claim: 'name', bound_claims: { x: 'y' } },
    claims: { name: '' },
  },
  'a user claim of a blank': { role: { user_claim: 'name' }, claims: { name: ' ' } },
  'the policy root': { role: { token_policies: ['root'] } },
  'the policy root in other letters': { role: { token_policies: ['a', ' Root '] } },
  'the policy response-wrapping': { role: { token_policies: ['control-group', 'response-wrapping'] } },
  'the policy root, and an empty user claim': {
    role: { token_policies: ['root'], user_claim: 'name' },
    claims: { name: '' },
  },
  // Keys that are not for this.
  'a key of 1024 bits': { change: () => signed('{"alg":"RS256"}', payload, small), stricter: true },
  'a key for encryption': {
    published: true,
    header: { alg: 'RS256', kid: 'enc' },
    key: forSecrets!.privateKey,
    stricter: true,
  },
  'a key of another algorithm': {
    published: true,
    header: { alg: 'RS256', kid: 'alg' },
    key: forOthers!.privateKey,
    stricter: true,
  },
  'a key without an id, for a token with one': {
    published: true,
    header: { alg: 'RS256', kid: 'two' },
    key: nameless!.privateKey,
  },
  'a key without an id, for a token without one': { published: true, key: nameless!.privateKey },
  // Forms of a token; by both sources of keys.
  ...Object.fromEntries(
    Object.entries(forms).flatMap(([name, change]) =>
      [false, true].map((published) => [
        `${name}${published ? ', by the published keys' : ''}`,
        { change, published, stricter: true, malformed: !exact.includes(name) },
      ]),
    ),
  ),
  // Roles.
  'an oidc role': { role: { role_type: 'oidc', allowed_redirect_uris: ['http://localhost/'] } },
};
