import { describe, expect, test } from '@jest/globals';
import type { Outcome, TagLevel } from '../../../core/src/run-task/outcome.ts';
import { repeatsRow, repeatsVerdict, worstFindings } from '../../src/pages/verdict.ts';
import { created, task } from './page-server.ts';

const outcome = (outcomeId: string, level: TagLevel, change: Partial<Outcome> = {}): Outcome => ({
  outcomeId,
  description: outcomeId,
  tags: { Severity: [{ label: level, level }] },
  ...change,
});

test('the worst findings are errors and warnings of tasks that count, those of mandatory tasks first', () => {
  const advice = task({ enforcement: 'advisory', outcomes: [outcome('a', 'error'), outcome('b', 'info')] });
  const review = task({ outcomes: [outcome('c', 'warning'), outcome('d', 'error'), outcome('e', 'none')] });
  const retried = task({ supersededAt: created, outcomes: [outcome('f', 'error')] });
  const found = worstFindings({ tasks: [advice, review, retried] });
  expect(found.map(({ outcome: { outcomeId } }) => outcomeId)).toEqual(['d', 'a', 'c']);
});

describe('an outcome', () => {
  const gained = ['1 policy gives more.', 'role a: everyone', '  by policy shop', '  – → read secret/*'];
  const lost = ['role old', '  loses: x_y'];
  const row = (body: string | undefined, level: TagLevel = 'warning') =>
    outcome('access-1', level, {
      ...(body !== undefined && { body }),
      tags: { Severity: [{ label: level, level }], Access: [{ label: 'changed', level: 'none' }] },
    });

  test.each([
    ['- policy shop\n- role a: everyone\n- – → read secret/\\*', true],
    ['- role a: everyone\n- loses: x\\_y', true],
    ['- role a: everyone\n- ttl 1h → ttl 8h', false],
    [undefined, false],
  ])('is a row that the run has if each of its lines is there: %j', (body, isRow) => {
    expect(repeatsRow(row(body), { gained, lost })).toBe(isRow);
  });

  test('is none if it is an error, or no row of access', () => {
    const body = '- role a: everyone';
    expect(repeatsRow(row(body, 'error'), { gained, lost })).toBe(false);
    expect(repeatsRow(outcome('1', 'warning', { body }), { gained, lost })).toBe(false);
    expect(repeatsRow(row(body), { gained: null, lost: null })).toBe(false);
  });
});

test.each([
  ['✗ 2 errors. 1 role gains access.', true],
  ['! 1 role gains acc…', true],
  ['1 role gains access.', true],
  ['✗ 1 error. 2 roles gain access.', false],
  ['', false],
])('the message %j repeats the verdict: %s', (message, repeats) => {
  expect(repeatsVerdict(message, { gained: ['1 role gains access.'] })).toBe(repeats);
  expect(repeatsVerdict(message, { gained: null })).toBe(false);
});
