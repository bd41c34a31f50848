import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSigned, sign } from '../../src/run-task/signature.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the signature of a run task request', () => {
  // RFC 4231, test case 2, of HMAC-SHA-512.
  test('is HMAC-SHA512 in lower-case hex', () => {
    expect(sign(bytes('what do ya want for nothing?'), 'Jefe')).toBe(
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    );
  });

  test('is empty without a key', () => {
    expect(sign(bytes('x'), undefined)).toBe('');
  });

  test('is good under any of the keys, and under no other, for exactly its bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 4 }),
        (body, [other = '', ...keys]) => {
          for (const key of keys) expect(isSigned(body, sign(body, key), keys)).toBe(true);
          expect(isSigned(body, sign(body, other), keys)).toBe(false);
          const changed = body.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
          expect(isSigned(changed, sign(body, keys[0]), keys)).toBe(false);
        },
      ),
    );
  });

  test.each<[string, string | undefined]>([
    ['none', undefined],
    ['an empty one', ''],
    ['one in upper case', sign(bytes('x'), 'key').toUpperCase()],
    ['a shorter one', sign(bytes('x'), 'key').slice(2)],
    ['one with something behind it', `${sign(bytes('x'), 'key')} `],
    ['no hex', 'z'.repeat(128)],
  ])('is refused where there is %s and a key is configured', (_, signature) => {
    expect(isSigned(bytes('x'), signature, ['key'])).toBe(false);
  });

  test.each([undefined, '', 'anything'])('%p is accepted where no key is configured', (signature) => {
    expect(isSigned(bytes('x'), signature, [])).toBe(true);
  });
});
