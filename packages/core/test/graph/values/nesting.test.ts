import { expect, test } from '@jest/globals';
import { deepestNesting, requireShallow } from '../../../src/graph/values/nesting.ts';

const nested = (levels: number, opening = '[', close = ']'): unknown =>
  JSON.parse(opening.repeat(levels - 1) + (levels === 0 ? '' : '[]') + close.repeat(levels - 1));

test.each([
  ['a text', 'x'],
  ['nothing', undefined],
  ['lists', nested(deepestNesting)],
  ['maps', nested(deepestNesting, '{"a":', '}')],
  ['a wide value', Array.from({ length: 100_000 }, () => ({}))],
])('%s can be walked', (_, value) => {
  expect(() => requireShallow(value, 'the plan')).not.toThrow();
});

test.each([1, 3000, 1_000_000])('%i levels more are refused', (excess) => {
  expect(() => requireShallow(nested(deepestNesting + excess), 'the plan')).toThrow(
    expect.objectContaining({ code: 'nested_too_deep', message: expect.stringContaining('in the plan') }),
  );
});
