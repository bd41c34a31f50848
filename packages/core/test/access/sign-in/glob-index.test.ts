import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GlobIndex } from '../../../src/access/sign-in/glob-index.ts';
import { matchesGlob } from '../../../src/login/bound-claims.ts';

const short = (letters: string[]) =>
  fc.array(fc.constantFrom(...letters), { maxLength: 5 }).map((parts) => parts.join(''));

test('matches what one of its globs matches', () => {
  const patterns = fc.array(short(['a', 'b', '*', '😀', '\uDE00']), { maxLength: 6 });
  fc.assert(
    fc.property(patterns, short(['a', 'b', '😀', '\uDE00']), (globs, text) => {
      const index = new GlobIndex(globs.map((glob) => glob.split('*')));
      const matching = globs.filter((glob) => matchesGlob(glob, text));
      expect(index.matches(text, () => {})).toBe(matching.length > 0);
    }),
    { numRuns: 2_000 },
  );
});

test('looks only at globs that begin or end as a text does', () => {
  const globs = Array.from({ length: 1_000 }, (_, at) => [`t${at}-`, '']);
  let work = 0;
  const index = new GlobIndex([...globs, ['', '-end']]);
  expect(index.matches('t999-x', (steps) => (work += steps))).toBe(true);
  expect(index.matches('x'.repeat(100), (steps) => (work += steps))).toBe(false);
  expect(index.matches('x-end', (steps) => (work += steps))).toBe(true);
  expect(work).toBeLessThan(10);
});
