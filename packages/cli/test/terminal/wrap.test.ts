import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wrapped } from '../../src/terminal/wrap.ts';

test('breaks a long line between words, and indents what follows by two more', () => {
  expect(wrapped('  one two three four five six seven eight nine ten eleven twelve', 44)).toBe(
    '  one two three four five six seven eight\n    nine ten eleven twelve',
  );
});

test('leaves lines that fit, and everything where there is no terminal', () => {
  const text = `short\n    indented\n\n${'word '.repeat(30)}`;
  expect(wrapped(text, 200)).toBe(text);
  expect(wrapped(text, undefined)).toBe(text);
});

test('never breaks a word, however long', () => {
  const urn = `urn:pulumi:dev::gatehouse::${'x'.repeat(90)}`;
  expect(wrapped(`  see ${urn} for more`, 60).split('\n')).toContain(`    ${urn}`);
});

test('does not count colors', () => {
  const line = `  ${'\u001b[32mgreen\u001b[39m '.repeat(9)}`.trimEnd();
  expect(wrapped(line, 60)).toBe(line);
});

test('keeps an indentation that begins after its color', () => {
  const line = `\u001b[2m    ${'policy '.repeat(9).trimEnd()}\u001b[22m`;
  const [first = '', second = ''] = stripVTControlCharacters(wrapped(line, 40)).split('\n');
  expect([first.search(/\S/), second.search(/\S/)]).toEqual([4, 6]);
});

test('a line to be pasted that has no prompt stays as it is', () => {
  const line = `  npx gatehouse deploy -s dev      # applies it, gated by the run task`;
  expect(wrapped(line, 60)).toBe(line);
});

test('a command line goes on behind a backslash', () => {
  expect(wrapped("  $ gatehouse who-can update 'secret/data/prod/*' -s prod --live --json", 60)).toBe(
    "  $ gatehouse who-can update 'secret/data/prod/*' -s \\\n      prod --live --json",
  );
});

test('keeps every word in its order, and no line is wider unless one word is', () => {
  const line = fc
    .tuple(fc.nat(10), fc.array(fc.stringMatching(/^[a-z:]{1,70}$/), { minLength: 1 }))
    .map(([indent, all]) => ' '.repeat(indent) + all.join(' '));
  fc.assert(
    fc.property(line, fc.integer({ min: 60, max: 120 }), (given, width) => {
      const lines = wrapped(given, width).split('\n');
      expect(lines.flatMap((one) => one.trim().split(' '))).toEqual(given.trim().split(' '));
      for (const one of lines) expect(one.length <= width || !one.trim().includes(' ')).toBe(true);
    }),
  );
});
