// How real servers read fields of the wrong type: openbao/openbao sdk/framework/field_data.go. Where a row says
// so, the text was compared with OpenBao 2.7.2.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  durationField,
  FieldRefusal,
  flagField,
  listField,
  mapField,
  pairsField,
  type RequestFields,
  textDurationField,
  textField,
} from '../../src/protocol/fields.ts';

const refused = (why: string) => new FieldRefusal('f', why);
const noText = (found: string) => refused(`'' expected type 'string', got unconvertible type '${found}'`);

describe('a field that is absent is undefined, one that is null is empty', () => {
  test.each([
    [textField, ''],
    [flagField, false],
    [listField, []],
    [pairsField, {}],
    [mapField, {}],
  ])('%p', (read, empty) => {
    expect([read({}, 'f'), read({ f: null }, 'f')]).toEqual([undefined, empty]);
  });

  test('a name that every object has is absent too', () => {
    expect(textField({}, 'constructor')).toBeUndefined();
  });
});

test.each([
  ['a', 'a'],
  [5, '5'],
  [true, '1'],
  [false, '0'],
])('as a text, %j is %j', (given, text) => {
  expect(textField({ f: given }, 'f')).toBe(text);
});

// packages/secrets-service/test/conformance asks OpenBao the same.
test.each<[RequestFields[string], number | string]>([
  [90, 90],
  ['90', 90],
  ['+60', 60],
  ['-1', -1],
  ['', 0],
  [null, 0],
  ['1.5h', 5400],
  ['.5h', 1800],
  ['1h30m', 5400],
  ['7d', 604_800],
  ['500ms', 0],
  [1.5, 'time: missing unit in duration "1.5"'],
  ['1h30', 'time: missing unit in duration "1h30"'],
  ['1w', 'time: unknown unit "w" in duration "1w"'],
  ['1d12h', 'time: unknown unit "d" in duration "1d12h"'],
  ['1.5d', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  [' 60 ', 'time: invalid duration " 60 "'],
  ['-', 'time: invalid duration "-"'],
  ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
  [1e12, 'multiplication of durations resulted in overflow, one operand may be too large'],
  ['9999999999h', 'time: invalid duration "9999999999h"'],
  [true, 'could not parse duration from input'],
])('as a duration, %j is %j', (given, wanted) => {
  const read = () => durationField({ f: given }, 'f', true);
  if (typeof wanted === 'number') expect(read()).toBe(wanted);
  else expect(read).toThrow(refused(wanted));
});

test('a duration that is no whole number of seconds never becomes none', () => {
  expect([textDurationField({ f: '1us' }, 'f'), textDurationField({ f: true }, 'f')]).toEqual([1, 1]);
});

test.each([
  ['true', true],
  ['T', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
  ['', false],
])('as a flag, %j is %j', (given, flag) => {
  expect(flagField({ f: given }, 'f')).toBe(flag);
});

test.each([
  ['a, b ,c', ['a', 'b', 'c']],
  ['', []],
  [5, ['5']],
  [
    ['a ', 1, true, null],
    ['a', '1', '1', ''],
  ],
  [['a,b'], ['a,b']],
])('as a list, %j is %j', (given, list) => {
  expect(listField({ f: given }, 'f')).toEqual(list);
});

test.each([
  [
    { a: 1, b: true, c: null },
    { a: '1', b: '1', c: '' },
  ],
  ['a=b,c=d', { a: 'b,c=d' }],
  [['a=b', 'c='], { a: 'b', c: '' }],
])('as pairs, %j is %j', (given, pairs) => {
  expect(pairsField({ f: given }, 'f')).toEqual(pairs);
});

const noPair = refused('invalid key pair at index 0 in field "f"');
const noFlag = refused(`'' cannot parse value as 'bool': strconv.ParseBool: invalid syntax`);
test.each<[string, (fields: RequestFields, name: string) => unknown, RequestFields[string], FieldRefusal]>([
  ['a list for a text', textField, [], noText('[]interface {}')],
  ['an object for a text', textField, {}, noText('map[string]interface {}')],
  ['an object in a list', listField, [{}], noText('map[string]interface {}')],
  ['a text that is no pair', pairsField, ['ab'], noPair],
  ['a number that is no pair', pairsField, 5, noPair],
  ['another word for a flag', flagField, 'perhaps', noFlag],
])('%s is refused', (_, read, given, refusal) => {
  expect(() => read({ f: given }, 'f')).toThrow(refusal);
});

test('whatever is given is read or refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      for (const read of [textField, flagField, listField, pairsField, mapField]) {
        try {
          read({ f: given } as RequestFields, 'f');
        } catch (error) {
          expect(error).toBeInstanceOf(FieldRefusal);
        }
      }
    }),
  );
});
