import { expect, test } from '@jest/globals';
import { hiddenWords } from '../../../src/review/reports/words.ts';

const finding = (severity: 'error' | 'warning' | 'info', rule = 'ended') => ({
  rule,
  severity,
  subject: { type: 'role' as const, name: 'r' },
  message: 'x',
  fix: 'y',
  docs: '',
});

test('an older finding is named where it is an error', () => {
  expect(hiddenWords([], [finding('warning'), finding('info')])).toEqual([]);
  expect(hiddenWords([], [finding('warning'), finding('error')])).toEqual([
    'Hidden: 1 older error. --show-all lists them.',
  ]);
});

test('rows that are hidden are counted', () => {
  expect(hiddenWords([], [], 3)).toEqual(['Hidden: 3 more rows. --show-all lists them.']);
});

test('what is hidden of this change is named by its rules', () => {
  expect(hiddenWords([finding('warning', 'a'), finding('info', 'b')], [finding('info')])).toEqual([
    'Hidden: 2 more findings (a, b). --show-all lists them.',
  ]);
});
