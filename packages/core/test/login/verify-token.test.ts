import { createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactSign, SignJWT } from 'jose';
import type { Claims } from '../../src/login/claims.ts';
import type { LoginReason, LoginRefused } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';
import { checkClaims, verifyToken } from '../../src/login/verify-token.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const now = 1_800_000_000;
const role = { name: 'r', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['app'] } as const;
const claims = { sub: 'alice', aud: 'app', exp: now + 60 };
const base64url = (text: string) => Buffer.from(text).toString('base64url');

function verify(token: string) {
  return verifyToken({
    token,
    config: {},
    role: { ...role, boundAudiences: ['app'] },
    keys: () => ({ source: 'configured', keys: [{ key: publicKey, algorithms: ['RS256'] }] }),
    now: BigInt(now) * 1_000_000_000n,
  });
}

/** Signs whatever text is given for header and payload. */
function signed(header: string, payload = JSON.stringify(claims)): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
}
const good = signed('{"alg":"RS256"}');

describe('a token is refused', () => {
  test('that is signed with the public key as a secret', async () => {
    const secret = createSecretKey(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }) as string));
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    await expect(verify(token)).rejects.toMatchObject({ step: 'token' });
  });

  test('in words that do not repeat it', async () => {
    const token = signed('{"alg":"RS256","crit":["b64"]}');
    await expect(verify(token)).rejects.not.toMatchObject({
      message: expect.stringContaining(token.slice(0, 20)),
    });
  });
});

test('addresses of keys in a header are left out of account', async () => {
  const header = { alg: 'RS256', jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' };
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(header)
    .sign(privateKey);
  expect(await verify(token)).toEqual(claims);
});

test('whatever is given for a token, it is verified or refused, never broken', async () => {
  const part = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map(base64url),
    fc.constantFrom(...good.split('.')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
      const token = parts.join('.');
      const refused = await verify(token).then(
        () => token === good,
        (error: Error) => error.name === 'LoginRefused',
      );
      expect(refused).toBe(true);
    }),
  );
});

/** Why claims are refused, at a time in nanoseconds. */
function refusal(given: Claims, fields: Partial<LoginRole> = {}, at = BigInt(now) * 1_000_000_000n) {
  try {
    checkClaims({
      claims: { aud: 'app', ...given },
      config: {},
      role: { ...role, ...fields, boundAudiences: ['app'] },
      now: at,
    });
    return undefined;
  } catch (error) {
    return (error as LoginRefused).reason;
  }
}

// hashicorp/cap jwt/jwt.go; docs/inside/measured/sign-in.md#leeways has the leeways.
describe('times', () => {
  const [before, after] = [-1n, 1n].map((by) => BigInt(now) * 1_000_000_000n + by);

  test.each<[string, Claims, Partial<LoginRole>, LoginReason]>([
    ['an expiry and the skew of a minute', { iat: 1, exp: now - 60 }, {}, 'token.expired'],
    ['an expiry and a skew of its own', { iat: 1, exp: now - 7 }, { clockSkewLeeway: 7 }, 'token.expired'],
    ['an expiry and a skew of a second', { iat: 1, exp: now - 1 }, { clockSkewLeeway: 1 }, 'token.expired'],
    ['an expiry without a skew', { iat: 1, exp: now }, { clockSkewLeeway: -1 }, 'token.expired'],
    [
      'a skew with a fraction, which is cut off',
      { iat: 1, exp: now - 7 },
      { clockSkewLeeway: 7.9 },
      'token.expired',
    ],
    ['the issue, and two and a half minutes more', { iat: now - 210 }, {}, 'token.expired'],
    ['the beginning, and two and a half minutes more', { nbf: now - 210 }, {}, 'token.expired'],
    ['the later of both', { iat: now - 300, nbf: now - 210 }, {}, 'token.expired'],
    ['the later of both, the other way round', { iat: now - 210, nbf: now - 300 }, {}, 'token.expired'],
    ['the issue, and a leeway of its own', { iat: now - 67 }, { expirationLeeway: 7 }, 'token.expired'],
    ['the issue, and no leeway', { iat: now - 60 }, { expirationLeeway: -5 }, 'token.expired'],
  ])('a token ends with %s', (_, given, fields, reason) => {
    expect([refusal(given, fields), refusal(given, fields, after)]).toEqual([undefined, reason]);
  });

  test.each<[string, Claims, Partial<LoginRole>, LoginReason]>([
    [
      'its beginning, but for the skew of a minute',
      { nbf: now + 60, exp: now + 99 },
      {},
      'token.not_yet_valid',
    ],
    ['its issue, but for the skew', { nbf: 1, iat: now + 60, exp: now + 99 }, {}, 'token.issued_in_future'],
    ['its issue, where it has no beginning', { iat: now + 60, exp: now + 99 }, {}, 'token.not_yet_valid'],
    ['two and a half minutes before its end', { exp: now + 210 }, {}, 'token.not_yet_valid'],
    ['a leeway of its own before its end', { exp: now + 67 }, { notBeforeLeeway: 7 }, 'token.not_yet_valid'],
    ['the same, with its beginning alone', { nbf: now + 60, exp: now + 999 }, {}, 'token.not_yet_valid'],
  ])('a token begins with %s', (_, given, fields, reason) => {
    expect([refusal(given, fields), refusal(given, fields, before)]).toEqual([undefined, reason]);
  });

  test.each([{}, { exp: 0, iat: 0, nbf: 0 }, { exp: 0.9 }, { exp: null }])('%j are none', (given) => {
    expect(refusal(given)).toBe('token.times_missing');
  });

  test('beyond what Go can count begin anew from the other end', () => {
    // The first second that is too great, counted from the year 1; numbers of this size are 1024 apart.
    const first = 2n ** 63n - 62_135_596_800n;
    const given = { nbf: 1, iat: Number(first - 256n) };
    expect(refusal(given, { expirationLeeway: 255 })).toBe('token.issued_in_future');
    expect(refusal(given, { expirationLeeway: 256 })).toBe('token.expired');
  });

  test.each([
    [{ iat: 1, exp: 2 ** 63 }, 'token.expired'],
    [{ iat: 1, exp: -1e300 }, 'token.expired'],
    [{ nbf: 1, iat: 1, exp: 2 ** 62 }, undefined],
    [{ iat: 2 ** 63, nbf: now }, undefined],
    [{ iat: 1e300, nbf: now }, undefined],
  ])('in %j are those of 64 bits', (given, reason) => {
    expect(refusal(given)).toBe(reason);
  });
});

describe('registered claims', () => {
  test.each(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])('%s is not there in capitals, too', (name) => {
    expect(refusal({ iat: now, [name.toUpperCase()]: 'x' })).toBe('token.claim_ambiguous');
  });

  test('others may be, and say what they want', () => {
    expect(refusal({ iat: now, Team: 'x', team: 7 })).toBeUndefined();
  });

  test.each([
    { iat: '7' },
    { nbf: true },
    { exp: {} },
    { iss: 7 },
    { sub: [] },
    { jti: false },
    { aud: 7 },
    { aud: ['app', 7] },
  ])('of a wrong type are refused: %j', (given) => {
    expect(refusal({ iat: now, ...given })).toBe('token.claim_malformed');
  });

  test('of null are not there', () => {
    expect(refusal({ iat: now, nbf: null, exp: null, iss: null, sub: null, jti: null })).toBeUndefined();
  });

  test.each<[Claims, Partial<LoginRole>, string | undefined, LoginReason | undefined]>([
    [{ iss: 'i' }, {}, 'i', undefined],
    [{ iss: 'i' }, {}, 'j', 'token.issuer'],
    [{}, {}, 'j', 'token.issuer'],
    [{ sub: 's' }, { boundSubject: 's' }, undefined, undefined],
    [{ sub: 's' }, { boundSubject: 't' }, undefined, 'token.subject'],
    [{ aud: ['x', 'b'] }, { boundAudiences: ['a', 'b'] }, undefined, undefined],
    [{ aud: 'x' }, { boundAudiences: ['a', 'b'] }, undefined, 'token.audience'],
    [{ aud: undefined }, { boundAudiences: ['a'] }, undefined, 'token.audience'],
    [{ aud: 'x' }, { boundAudiences: [] }, undefined, undefined],
  ])('%j for %j and the issuer %s: %s', (given, fields, boundIssuer, reason) => {
    const check = () =>
      checkClaims({
        claims: { iat: now, ...given },
        config: { boundIssuer },
        role: { name: 'r', roleType: 'jwt', userClaim: 'sub', ...fields },
        now: BigInt(now) * 1_000_000_000n,
      });
    if (reason === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ reason }));
  });
});

test('a token may be signed by all algorithms where the method names none', async () => {
  const verified = (jwtSupportedAlgs: string[] | undefined) =>
    verifyToken({
      token: good,
      config: { jwtSupportedAlgs },
      role: { ...role, boundAudiences: ['app'] },
      keys: () => ({ source: 'configured', keys: [{ key: publicKey, algorithms: ['RS256'] }] }),
      now: BigInt(now) * 1_000_000_000n,
    });
  await expect(verified([])).resolves.toEqual(claims);
  await expect(verified(undefined)).resolves.toEqual(claims);
  await expect(verified(['ES256'])).rejects.toMatchObject({ reason: 'token.algorithm' });
});
