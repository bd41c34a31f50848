import { expect, test } from '@jest/globals';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { StackReading, stacksMatching } from '../../src/open/stack-reading.ts';
import { projectFolder } from '../running-command.ts';

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

test.each([3, 40])(
  '%i stacks are read as each is read alone, but for those that cannot be',
  async (count) => {
    const texts = Array.from(
      { length: count },
      (_, at) => `config: { a:n: ${at}, a:s: { secure: v1:${at} } }\n`,
    );
    const files = Object.fromEntries(texts.map((text, at) => [`Pulumi.stack-${at}.yaml`, text]));
    const directory = projectFolder({ ...files, 'Pulumi.broken.yaml': 'config: [' });
    const names = [...texts.map((_, at) => `stack-${at}`), 'broken', 'missing'];
    const found = await new StackReading(directory, names, {}).all();
    expect([...found.keys()].sort()).toEqual(names.slice(0, count).sort());
    for (const [name, stack] of found) expect(stack).toEqual(await readDeclaring(directory, name, {}));
  },
);
