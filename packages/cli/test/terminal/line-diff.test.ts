import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DiffLine, lineDiff, withContext } from '../../src/terminal/line-diff.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
const without = (diff: DiffLine[], kind: DiffLine['kind']) =>
  diff
    .filter((line) => line.kind !== kind)
    .map((line) => line.text)
    .join('\n');

describe('lineDiff', () => {
  test('without what was added it is the old text, without what was removed the new one', () => {
    fc.assert(
      fc.property(text, text, (old, wanted) => {
        const diff = lineDiff(old, wanted);
        expect(without(diff, 'added')).toBe(old);
        expect(without(diff, 'removed')).toBe(wanted);
      }),
    );
  });

  test('of a text and itself shows no change', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(lineDiff(same, same).every(({ kind }) => kind === 'same')).toBe(true);
      }),
    );
  });

  test('keeps what both have between changes', () => {
    const shown = lineDiff('a\nb\nc', 'x\nb\ny').map(({ kind, text: line }) => `${kind} ${line}`);
    expect(shown).toEqual(['removed a', 'added x', 'same b', 'removed c', 'added y']);
  });

  test('of two very long texts shows the one removed and the other added', () => {
    const [old = '', wanted = ''] = ['a', 'b'].map((line) => Array(2000).fill(line).join('\n'));
    const kinds = lineDiff(old, wanted).map(({ kind }) => kind);
    expect(kinds.indexOf('added')).toBe(2000);
  });
});

describe('withContext', () => {
  test('keeps the lines around a change and says where lines are left out', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    const after = before.map((line) => (line === '5' ? 'five' : line));
    const shown = withContext(lineDiff(before.join('\n'), after.join('\n')), 1).map((line) => line.text);
    expect(shown).toEqual(['…', '4', '5', 'five', '6', '…']);
  });
});
