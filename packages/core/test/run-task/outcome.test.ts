import { expect, test } from '@jest/globals';
import { surplusOf } from '../../src/run-task/outcome.ts';

const outcomes = (count: number, body = '') =>
  Array.from({ length: count }, (_, at) => ({ outcomeId: `o${at}`, description: 'x', body }));

test.each([
  [2500, '', undefined],
  [2501, '', 'a task has at most 2500 outcomes'],
  [4, 'x'.repeat(5 << 20), 'the outcomes of a task have at most 16777216 characters'],
])('a task with %i outcomes', (count, body, surplus) => {
  expect(surplusOf(outcomes(count, body))).toBe(surplus);
});
