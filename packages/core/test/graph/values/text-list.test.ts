import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitTextList, textList } from '../../../src/graph/values/text-list.ts';

describe('splitTextList', () => {
  test.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ,', ['a', 'b']],
    ['', []],
    [',,', []],
  ])('splits %j', (text, list) => {
    expect(splitTextList(text)).toEqual(list);
  });

  test('finds every entry that was joined', () => {
    const entry = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && !text.includes(','));
    fc.assert(
      fc.property(fc.array(entry), (list) => {
        expect(splitTextList(list.join(','))).toEqual(list);
      }),
    );
  });
});

describe('textList', () => {
  test('keeps commas inside the entries of a list', () => {
    expect(textList.parse(['a,b', 'c'])).toEqual(['a,b', 'c']);
  });

  test('leaves what it has read as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (given) => {
        const once = textList.parse(given);
        expect(textList.parse(once)).toEqual(once);
      }),
    );
  });

  test.each([[1], [true], [null], [{}], [['a', 1]]])('refuses %j', (given) => {
    expect(textList.safeParse(given).error?.issues[0]?.message).toBe(
      'must be a list of texts, or one text with commas',
    );
  });
});
