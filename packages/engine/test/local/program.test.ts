import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { nodeOptions, unsupportedFeature, withoutStackTrace } from '../../src/local/program.ts';

const root = new URL('../../../..', import.meta.url).pathname.replace(/\/$/, '');
test.each<[string, string, NodeJS.ProcessEnv, boolean]>([
  ['this project’s own program loads less', root, {}, true],
  ['… unless GATEHOUSE_TRACES is set', root, { GATEHOUSE_TRACES: '1' }, false],
  ['a program that imports the package loads the SDK as it is', `${root}/examples`, {}, false],
])('%s', (_, directory, env, isLean) => {
  expect(nodeOptions({ directory }, env).join(' ').includes('lean-executor.ts')).toBe(isLean);
});

describe('a program’s error without its stack trace', () => {
  test('keeps the first place that is in the project itself', () => {
    const message = [
      'Error: boom',
      '    at fail (/p/node_modules/x/index.js:1:2)',
      '    at file:///p/src/index.ts:29:43',
      '    at Module._compile (node:internal/modules/cjs/loader:1:1)',
    ].join('\n');
    expect(withoutStackTrace(message, '/p')).toBe('Error: boom\n  at src/index.ts:29:43');
  });

  test('knows places in functions', () => {
    expect(withoutStackTrace('Error: boom\n    at build (/p/a.ts:1:2)', '/p')).toBe(
      'Error: boom\n  at a.ts:1:2',
    );
  });

  test('leaves a message without a trace as it is, colors aside', () => {
    expect(withoutStackTrace('\u001b[31mred\u001b[0m\n  and more', '/p')).toBe('red\n  and more');
  });
});

test.each([
  [
    'Error: The Pulumi CLI does not support the DeletedWith option. Please update the Pulumi CLI.',
    'DeletedWith option',
  ],
  ['Error: The Pulumi CLI does not support transforms. Please update the Pulumi CLI', 'transforms'],
  ['Error: something else', undefined],
])('what the SDK says the CLI cannot do is what the engine cannot do: %s', (message, expected) => {
  expect(unsupportedFeature(message)).toBe(expected);
});

test('a program ends where no one reads what it writes: its engine was killed', async () => {
  const looping =
    "process.on('uncaughtException', (e) => console.error(e)); setInterval(() => console.error('x'), 10)";
  const child = spawn(process.execPath, [...nodeOptions({ directory: '/' }, {}), '-e', looping], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(child.stderr, 'data');
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([1, null]);
});
