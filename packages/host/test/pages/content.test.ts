import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { timeLeft } from '../../src/pages/content.ts';

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min 0 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h 0 min'],
  [86_400, '1 d 0 h'],
  [2_764_799, '31 d 23 h'],
])('%i seconds are %s', (seconds, text) => {
  expect(timeLeft(seconds)).toBe(text);
});

test('the pages’ script writes what the server writes', () => {
  const script = readFileSync(new URL('../../src/pages/assets/script.js', import.meta.url), 'utf8');
  const [source = ''] = /^function inWords[\s\S]*?^}$/m.exec(script) ?? [];
  const inWords = new Function(`${source}; return inWords;`)() as typeof timeLeft;
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), (seconds) => {
      expect(inWords(seconds)).toBe(timeLeft(seconds));
    }),
  );
});
