import { createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactSign, SignJWT } from 'jose';
import { matchesGlob } from '../../../core/login/bound-claims.ts';
import { tokenLimit } from '../../../core/login/compact-token.ts';
import { keyFromPem, keysFromJwks } from '../../../core/login/key-set.ts';
import { verifyToken } from '../../../core/login/verify-token.ts';
import { parseStrictJson } from '../../../core/model/values/strict-json.ts';

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

// RFC 8725, and facts/security.md ("JSON Web Tokens"): stricter than OpenBao on purpose.
describe('a token is refused', () => {
  test.each([
    ['with padding', `${good}=`],
    ['with a blank before it', ` ${good}`],
    ['with a line feed after it', `${good}\n`],
    ['in the other base64 alphabet', good.replace(/[-_]/, '+')],
    ['with bits left over in its last letter', `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'x'}`],
    [
      'with a claim that is there twice',
      signed('{"alg":"RS256"}', '{"aud":"app","sub":"a","exp":1800000060,"sub":"b"}'),
    ],
    [
      'with a claim that is there twice, once escaped',
      signed('{"alg":"RS256"}', '{"aud":"app","exp":1800000060,"s\\u0075b":"a","sub":"b"}'),
    ],
    ['with its algorithm twice', signed('{"alg":"none","alg":"RS256"}')],
    ['with a critical header', signed('{"alg":"RS256","crit":["b64"],"b64":false}')],
    ['with a key id that is no text', signed('{"alg":"RS256","kid":["a"]}')],
    ['without an algorithm', signed('{}')],
    ['with bytes that are no UTF-8', signed('{"alg":"RS256"}', '{"aud":"app"}').replace(/\.[^.]+\./, '._w.')],
    ['with five parts, as encrypted ones have', `${good}.a.b`],
    [
      'longer than the limit',
      signed('{"alg":"RS256"}', JSON.stringify({ ...claims, x: 'x'.repeat(tokenLimit) })),
    ],
    ['with an expiry beyond all time', signed('{"alg":"RS256"}', '{"aud":"app","sub":"a","exp":1e300}')],
    [
      'with an expiry that is a text',
      signed('{"alg":"RS256"}', '{"aud":"app","sub":"a","exp":"1800000060"}'),
    ],
    [
      'with an audience that is an object',
      signed('{"alg":"RS256"}', '{"aud":{"app":1},"sub":"a","exp":1800000060}'),
    ],
  ])('%s', async (_, token) => {
    await expect(verify(token)).rejects.toMatchObject({ name: 'LoginRefused', step: 'token' });
  });

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

describe('keys', () => {
  test('a private key is not taken for a public one', () => {
    expect(keyFromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)).toBeUndefined();
  });

  test('a document keeps its good keys where others are damaged, shared or for encryption', () => {
    const jwk = publicKey.export({ format: 'jwk' });
    const keys = [
      null,
      { kty: 'oct', k: 'AA' },
      { ...jwk, n: 7 },
      { ...jwk, use: 'enc' },
      { ...jwk, kid: 'one' },
    ];
    expect(keysFromJwks({ keys })?.map(({ id }) => id)).toEqual(['one']);
  });

  test.each([[null], [{}], [{ keys: 'x' }], ['x']])('%j is no document of keys', (document) => {
    expect(keysFromJwks(document)).toBeUndefined();
  });
});

test('strict JSON reads what JSON reads, unless a name is there twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each(['{"a":1,"a":2}', '[{"b":{"a":[],"a":{}}}]', '{"a\\"":1,"a\\u0022":2}'])(
  'strict JSON refuses %s',
  (text) => {
    expect(() => parseStrictJson(text)).toThrow(SyntaxError);
  },
);

test('globs match as the regular expression of the same meaning does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.') });
  fc.assert(
    fc.property(text, text, (pattern, given) => {
      const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
      expect(matchesGlob(pattern, given)).toBe(new RegExp(`^${parts.join('.*')}$`).test(given));
    }),
  );
});
