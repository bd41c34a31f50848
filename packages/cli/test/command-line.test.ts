// The command line itself: help, and what is no command line.
import { describe, expect, test } from '@jest/globals';
import { runCommand } from './running-command.ts';

const commandLines = [
  ['preview'],
  ['up'],
  ['refresh'],
  ['destroy'],
  ['state', 'export'],
  ['review'],
  ['stack', 'init'],
  ['dev'],
  ['login'],
  ['drift'],
  ['explain'],
  ['verify'],
];

const run = (argv: string[]) => runCommand(argv, {}, '/');
const widthsAt = async (COLUMNS: string) => {
  const { out } = await runCommand(['up', '--help'], { COLUMNS }, '/', { typed: [] });
  return out.split('\n').map(({ length }) => length);
};

describe('help', () => {
  test.each(commandLines.map((words) => [words.join(' '), words] as const))(
    '%s --help shows an example',
    async (name, words) => {
      const { code, out } = await run([...words, '--help']);
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`Examples?:\\n  \\$ gatehouse ${name}`));
    },
  );

  test('lists the commands', async () => {
    const { out } = await run(['--help']);
    for (const [word] of commandLines) expect(out).toContain(`\n  ${word} `);
  });

  test('groups them, each under one heading', async () => {
    const { out } = await run(['--help']);
    const headings = out.match(/^\S.*:$/gm);
    expect(headings).toContain('Ask who can:');
    expect(headings).not.toContain('Commands:');
  });

  test('help COMMAND is COMMAND --help, nested commands included', async () => {
    for (const words of [['up'], ['run', 'confirm']]) {
      expect(await run(['help', ...words])).toEqual(await run([...words, '--help']));
    }
  });

  test('help alone lists the commands', async () => {
    expect(await run(['help'])).toEqual(await run(['--help']));
  });

  test('help of a misspelled command names the nearest', async () => {
    const { code, err } = await run(['help', 'preveiw']);
    expect(code).toBe(1);
    expect(err).toMatch(/Did you mean preview\?[\s\S]*\(command_unknown\)/);
  });

  test.each([60, 80, 120])('is as wide as a terminal of %d columns, and not wider', async (columns) => {
    const widths = await widthsAt(String(columns));
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(Math.max(...widths)).toBeGreaterThan(columns - 25);
  });

  test('--version prints the version of the package', async () => {
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('what it does not understand', () => {
  test.each([
    ['an unknown command', ['upp'], "unknown command 'upp'"],
    ['an unknown option', ['up', '--force'], "unknown option '--force'"],
    ['an engine that there is not', ['up', '--engine', 'other'], 'Allowed choices are local, pulumi'],
    ['no steps at once', ['up', '--parallel', '0'], 'must be a whole number from 1 to 9999'],
    ['a port that is none', ['dev', '--port', '65536'], 'must be a whole number from 0 to 65535'],
    ['stack init without a name', ['stack', 'init'], "missing required argument 'stack'"],
  ])('%s is an error', async (_, argv, message) => {
    const { code, err } = await run(argv);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  test.each([
    [['upp'], 'command_unknown'],
    [['run', 'conform', 'run-1'], 'command_unknown'],
    [['up', '--force'], 'option_unknown'],
    [['up', '--engine', 'other'], 'argument_invalid'],
    [['access', '-s', 'dev'], 'option_missing'],
    [['access', '--role', 'web', '--live', '--plan', 'x'], 'option_conflict'],
    [
      ['up', '--policy-pack', 'a', ...['b', 'c'].flatMap((file) => ['--policy-pack-config', file])],
      'option_conflict',
    ],
    [['stack', 'init'], 'argument_missing'],
    [['up', 'everything'], 'argument_excess'],
  ])('%j --json is an object with the code %s, and exits 1', async (argv, expected) => {
    const { code, out, err } = await run([...argv, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      result: 'failed',
      error: { code: expected, message: expect.stringMatching(/^(?!error)/) },
    });
    expect(err).toContain(`(${expected})`);
  });

  test('names the nearest, and the command whose help says more', async () => {
    const { err } = await run(['run', 'conform', 'run-1']);
    expect(err).toContain('Did you mean confirm?\n  gatehouse run --help shows what there is.');
  });
});
