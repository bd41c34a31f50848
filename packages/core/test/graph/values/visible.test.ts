import { expect, test } from '@jest/globals';
import { visible } from '../../../src/graph/values/visible.ts';

test('shows each control that changes the order of a text, and nothing else', () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
  const changed = all.filter((character) => visible(character) !== character).map(visible);
  const names = ['202A', '202B', '202C', '202D', '202E', '2066', '2067', '2068', '2069'];
  expect(changed).toEqual(names.map((name) => `U+${name}`));
});

test('shows every one of a text', () => {
  expect(visible('a\u202e\u202eb\u2066c')).toBe('aU+202EU+202EbU+2066c');
});
