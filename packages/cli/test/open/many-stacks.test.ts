import { expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { ofEach } from '../../src/open/many-stacks.ts';

test('stacks are answered in their order, so many at a time, and one that fails holds up no other', async () => {
  let working = 0;
  let most = 0;
  const problem = new GatehouseError({ code: 'stack_unknown', what: 'gone' });
  const found = await ofEach(['a', 'b', 'c', 'd'], 2, async (stack) => {
    working += 1;
    most = Math.max(most, working);
    await new Promise((resolve) => setTimeout(resolve, stack === 'a' ? 20 : 1));
    working -= 1;
    if (stack === 'c') throw problem;
    return stack.toUpperCase();
  });
  expect(most).toBe(2);
  expect(found).toEqual([
    { stack: 'a', result: 'A' },
    { stack: 'b', result: 'B' },
    { stack: 'c', problem },
    { stack: 'd', result: 'D' },
  ]);
});

test('a defect is not taken for a stack that fails', async () => {
  await expect(ofEach(['a'], 1, () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError);
});
