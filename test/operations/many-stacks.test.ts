import { expect, test } from '@jest/globals';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { ofEach, stacksMatching } from '../../operations/many-stacks.ts';
import { projectFolder } from '../cli/running-command.ts';

const folder = projectFolder(
  Object.fromEntries(
    ['prod-eu', 'prod-us', 'dev', 'prod.x'].map((name) => [`Pulumi.${name}.yaml`, 'config: {}\n']),
  ),
);

test.each([
  ['prod-*', ['prod-eu', 'prod-us']],
  ['*', ['dev', 'prod-eu', 'prod-us', 'prod.x']],
  ['*-us', ['prod-us']],
  ['prod.*', ['prod.x']],
])('%s matches', async (pattern, names) => {
  expect((await stacksMatching(folder, pattern)).sort()).toEqual(names);
});

test('a pattern that matches nothing names the stacks', async () => {
  await expect(stacksMatching(folder, 'stage-*')).rejects.toMatchObject({
    code: 'stack_unknown',
    message: expect.stringContaining('prod-eu, prod-us'),
  });
});

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
