import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../src/graph/values/errors.ts';
import { maskError, maskOf } from '../../../src/graph/values/mask.ts';

const pem = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'kw==',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

describe('a secret', () => {
  test('is masked wherever it stands in a text', () => {
    expect(maskOf(['hunter2'])('a hunter2, hunter2b')).toBe('a [secret], [secret]b');
  });

  test.each(['', 'a', 'ab', 'true', 'False'])('%j is not: the CLI leaves it, too', (value) => {
    const text = `it is ${value}, or true, False, ab`;
    expect(maskOf([value])(text)).toBe(text);
  });

  test('of two letters and three bytes is masked, because the CLI counts bytes', () => {
    expect(maskOf(['éa'])('it is éa')).toBe('it is [secret]');
  });

  test('is text and no pattern', () => {
    const value = 'a.c/(x|y)[0-9]*\\d$1$&^';
    const mask = maskOf([value]);
    expect(mask(`<${value}> abc`)).toBe('<[secret]> abc');
  });

  test('that begins with another is masked as a whole, in either order', () => {
    for (const values of [
      ['hunter', 'hunter2'],
      ['hunter2', 'hunter'],
    ]) {
      expect(maskOf(values)('hunter2 hunter')).toBe('[secret] [secret]');
    }
  });

  test('is masked in JSON, as Node and Go write it, and in JSON within JSON', () => {
    const value = 'a"b\\c&<d>\té';
    const mask = maskOf([value]);
    const once = JSON.stringify({ value });
    const go = once.replace('&', '\\u0026').replace('<', '\\u003c').replace('>', '\\u003e');
    expect([mask(once), mask(go)]).toEqual(Array(2).fill('{"value":"[secret]"}'));
    expect(mask(JSON.stringify([once]))).toBe(JSON.stringify(['{"value":"[secret]"}']));
    expect(mask(JSON.stringify([go]))).toBe(JSON.stringify(['{"value":"[secret]"}']));
  });

  test('of several lines is masked as a whole, by lines, indented and escaped', () => {
    const mask = maskOf([pem]);
    expect(mask(`key: ${pem}.`)).toBe('key: [secret].');
    for (const line of pem.trim().split('\n')) expect(mask(`  > ${line}`)).toBe('  > [secret]');
    expect(mask(JSON.stringify({ pem }))).toBe('{"pem":"[secret]"}');
    const rows = maskOf([pem.replaceAll('\n', '\r\n')]);
    expect(rows('kw==')).toBe('[secret]');
  });

  test('that is JSON and encrypted as one is masked with each text in it', () => {
    const mask = maskOf(['{ "staff": "hunter2", "more": [{ "key": "hunter3" }] }']);
    expect(mask('hunter2 hunter3 staff')).toBe('[secret] [secret] staff');
  });
});

test('an error is masked with its parts, trace and causes', () => {
  const mask = maskOf(['hunter2']);
  const error = new GatehouseError({
    code: 'unexpected',
    what: 'not hunter2',
    given: 'hunter2',
    cause: new Error('it was hunter2'),
  });
  expect(maskError(error, mask)).toBe(error);
  expect(error.message).toBe('not [secret]\n  given: [secret]');
  expect(error.parts).toMatchObject({ code: 'unexpected', what: 'not [secret]', given: '[secret]' });
  expect([error.stack, (error.cause as Error).stack].join()).not.toContain('hunter2');
});
