import { describe, expect, test } from '@jest/globals';
import { claimsOf, MalformedToken, parseCompactToken, tokenLimit } from '../../src/login/compact-token.ts';

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const token = (header: string, payload = 'payload', signature = 'signature') =>
  [header, payload, signature].map(base64url).join('.');
const good = token('{"alg":"RS256","kid":"one"}');
const [header = '', payload = '', signature = ''] = good.split('.');

describe('a token in compact form', () => {
  test.each(['own', 'server'] as const)('is taken apart by %s rules', (rules) => {
    expect(parseCompactToken(good, rules)).toEqual({
      header: { alg: 'RS256', kid: 'one' },
      payload: Buffer.from('payload'),
      signed: `${header}.${payload}`,
      signature: Buffer.from('signature'),
      isVerifiable: true,
      isPadded: false,
    });
  });

  test('of 64 KiB may be presented', () => {
    expect(tokenLimit).toBe(65_536);
  });
});

// RFC 8725; docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725.
describe('our own rules refuse', () => {
  test.each([
    ['critical headers', token('{"alg":"RS256","crit":[]}'), 'critical headers'],
    ['no algorithm', token('{}'), 'names no algorithm'],
    ['an algorithm that is a number', token('{"alg":7}'), 'names no algorithm'],
    ['a key id that is null', token('{"alg":"RS256","kid":null}'), 'the key id'],
    ['no signature', token('{"alg":"RS256"}', 'payload', ''), 'not signed'],
    ['padding', `${good}=`, 'not base64url'],
    ['a blank before it', ` ${good}`, 'not base64url'],
    ['a line feed after it', `${good}\n`, 'not base64url'],
    ['the other alphabet', good.replace('i', '+'), 'not base64url'],
    ['bits left over', `${token('{"alg":"RS256"}', '', 's').slice(0, -1)}x`, 'not base64url'],
    ['five parts, as encrypted ones have', `${good}.a.b`, 'three parts'],
    ['two parts', `${header}.${payload}`, 'three parts'],
    ['a header that is a list', token('[]'), 'not a JSON object'],
    ['a header of null', token('null'), 'not a JSON object'],
    ['a header that says something twice', token('{"alg":"RS256","alg":"RS256"}'), 'something twice'],
  ])('%s', (_, given, why) => {
    expect(() => parseCompactToken(given, 'own')).toThrow(why);
    expect(() => parseCompactToken(given, 'own')).toThrow(MalformedToken);
  });

  test('but not a signature of one byte', () => {
    expect(parseCompactToken(token('{"alg":"RS256"}', '', 's'), 'own').signature).toHaveLength(1);
  });
});

// As go-jose does: packages/core/test/login/openbao-cases.ts asks a real server.
describe('by the rules of servers', () => {
  const parsed = (given: string) => parseCompactToken(given, 'server');

  test.each([
    ['blanks', ` ${good.replaceAll('.', '\n.\u00a0')}\t`],
    ['flattened JSON', JSON.stringify({ payload, protected: header, signature })],
    [
      'JSON with one signature',
      ` ${JSON.stringify({ payload, signatures: [{ protected: header, signature }] })}`,
    ],
  ])('%s make no difference', (_, given) => {
    expect(parsed(given)).toEqual(parsed(good));
  });

  test.each([
    ['no payload', { protected: header, signature }],
    ['no signature', { payload, protected: header }],
    ['two signatures', { payload, signatures: [1, 2].map(() => ({ protected: header, signature })) }],
    ['an empty list of signatures', { payload, signatures: [] }],
    ['a list of null', { payload, signatures: [null] }],
  ])('JSON with %s is refused', (_, json) => {
    expect(() => parsed(JSON.stringify(json))).toThrow('not a JWS with one signature');
  });

  test.each([0, 1, 2])('padding behind part %i is seen', (part) => {
    const parts = good.split('.');
    expect(parsed(parts.with(part, `${parts[part]}==`).join('.'))).toEqual({
      ...parsed(good),
      isPadded: true,
    });
  });

  test.each([
    ['{"alg":"RS256","kid":null}', { alg: 'RS256' }],
    ['{"alg":"RS256","kid":""}', { alg: 'RS256' }],
    ['{"kid":"a"}', { alg: '', kid: 'a' }],
    ['{"alg":null}', { alg: '' }],
    ['{"alg":"A","jwk":null}', { alg: 'A' }],
    ['{"alg":"A","jwk":{}}', { alg: 'A' }],
  ])('the header %s is %j', (text, read) => {
    const { alg, kid } = parsed(token(text)).header;
    expect({ alg, ...(kid === undefined ? {} : { kid }) }).toEqual(read);
    expect(Object.hasOwn(parsed(token(text)).header, 'kid')).toBe(Object.hasOwn(read, 'kid'));
  });

  test.each([
    [
      '{"kid":7}',
      'failed to unmarshal key ID: json: cannot unmarshal number into Go value of type string: "7"',
    ],
    [
      '{"alg":[1]}',
      'failed to unmarshal algorithm: json: cannot unmarshal array into Go value of type string: "[1]"',
    ],
    ['{"alg":"A","jwk":7}', 'failed to unmarshal JWK'],
    ['{"alg":"A","jwk":[]}', 'failed to unmarshal JWK'],
    ['{"alg":"A","jwk":"x"}', 'failed to unmarshal JWK'],
  ])('the header %s is refused', (text, why) => {
    expect(() => parsed(token(text))).toThrow(why);
  });

  test.each([
    ['{"crit":[]}', true],
    ['{"crit":null}', true],
    ['{"crit":["b64"]}', true],
    ['{"crit":["b64","x"]}', false],
    ['{"crit":["x"]}', false],
    ['{"crit":"b64"}', false],
  ])('with the header %s, a key can verify it: %s', (text, isVerifiable) => {
    expect(parsed(token(text)).isVerifiable).toBe(isVerifiable);
  });

  test.each([
    ['{"b64":false}', 'payload'],
    ['{"b64":true}', payload],
    ['{}', payload],
  ])('with the header %s, the signature is of the payload as %s', (text, signed) => {
    expect(parsed(token(text)).signed).toBe(`${base64url(text)}.${signed}`);
  });

  test.each([
    ['a$', 1],
    ['abc+', 3],
    ['a', 0],
    ['abcde', 4],
  ])('a part %j is refused at byte %i', (part, at) => {
    expect(() => parsed(`${header}.${part}.${signature}`)).toThrow(`at input byte ${at}`);
  });

  test.each(['', 'ab', 'abc', 'abcd', 'abcdef', 'a-_b'])('a part %j is taken', (part) => {
    expect(parsed(`${header}.${part}.${signature}`).payload).toEqual(Buffer.from(part, 'base64url'));
  });
});

describe('the claims of a payload', () => {
  const read = (text: string | Buffer) => {
    const bytes = Buffer.from(text as string);
    return [claimsOf(bytes, 'own'), claimsOf(bytes, 'server'), claimsOf(bytes, 'server', true)];
  };

  test.each([
    ['an object', '{"a":1}', [{ a: 1 }, { a: 1 }, { a: 1 }]],
    ['a list', '[]', [undefined, undefined, undefined]],
    ['a text', '"x"', [undefined, undefined, undefined]],
    ['null', 'null', [undefined, {}, {}]],
    ['a claim that is there twice', '{"a":1,"a":2}', [undefined, undefined, { a: 2 }]],
    ['a byte order mark', '\ufeff{"a":1}', [undefined, undefined, undefined]],
    ['no JSON', 'x', [undefined, undefined, undefined]],
  ])('%s: by our own rules, by those of servers, and of their published keys', (_, text, claims) => {
    expect(read(text)).toEqual(claims);
  });

  test('may hold what is not UTF-8 on servers only', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')]);
    expect(claimsOf(bytes, 'own')).toBeUndefined();
    expect(claimsOf(bytes, 'server')).toEqual({ a: '\ufffd' });
  });

  test('are read as strictly with our own rules, loose or not', () => {
    expect(claimsOf(Buffer.from('{"a":1,"a":2}'), 'own', true)).toBeUndefined();
  });
});
