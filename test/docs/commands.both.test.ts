import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { addCommands } from '../../packages/cli/src/main.ts';
import { openEnvironment } from '../../packages/cli/src/open/open-environment.ts';
import { type CommandContext, GatehouseCommand } from '../../packages/cli/src/terminal/command.ts';
import { wordsOf } from '../../packages/cli/test/running-command.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import { passphrase, root } from '../harness/environment-under-test.ts';
import { longTest } from '../harness/long-run.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { namedBlocks, read } from './markdown.ts';

const bin = join(root, 'packages/cli/gatehouse.mjs');
const folder = temporaryFolder();

/** The lines of all shell blocks that begin with a word, without comments, redirections and what follows. */
function lines(word: string): string[] {
  const shell = namedBlocks('sh', 'sh run').flatMap(([, { text }]) => text.split('\n'));
  const own = shell.flatMap((line) => line.split(/ && | \| /)).map((line) => line.trim());
  return [
    ...new Set(
      own
        .filter((line) => line === word || line.startsWith(`${word} `))
        .map((line) => line.replace(/\s+[#>].*$/, '')),
    ),
  ];
}

/** The command line as it is, with nothing behind it: commander says what it does not know. */
function parser(): Command {
  const program = new GatehouseCommand('gatehouse')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  addCommands(program.helpCommand(false), {} as CommandContext);
  const idle = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    else command.commands.forEach(idle);
  };
  idle(program);
  return program;
}

describe('a command in the documentation', () => {
  test.each(lines('npx gatehouse'))('%s is one', async (line) => {
    await parser().parseAsync(wordsOf(line).slice(2), { from: 'user' });
  });

  test.each([...lines('npm run'), ...lines('npm start'), ...lines('npm test')])('%s is a script', (line) => {
    const [, first = '', second = ''] = wordsOf(line);
    expect(Object.keys(JSON.parse(read('package.json')).scripts)).toContain(first === 'run' ? second : first);
  });

  test('every command has a section in docs/commands.md', async () => {
    const names = (command: Command, prefix: string): string[] =>
      command.commands.length === 0
        ? [`${prefix} ${command.name()}`]
        : command.commands.flatMap((inner) => names(inner, `${prefix} ${command.name()}`));
    const headings = [...read('docs/commands.md').matchAll(/^### (gatehouse.*)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings.sort()).toEqual(
      names(parser(), '')
        .map((name) => name.trim())
        .sort(),
    );
  });

  test('every option of every command is in docs/commands.md', async () => {
    const options = (command: Command): string[] => [
      ...command.options.flatMap(({ long }) => (long === null || long === undefined ? [] : [long])),
      ...command.commands.flatMap(options),
    ];
    const page = read('docs/commands.md');
    expect(options(parser()).filter((option) => !page.includes(option))).toEqual([]);
  });

  longTest.each(namedBlocks('sh run'))(
    '%s runs as it stands, and makes a valid environment',
    async (_, block) => {
      copyFileSync(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
      const script = `set -eu\nnpx() { shift; '${process.execPath}' '${bin}' "$@"; }\n${block.text}`;
      const env = { PATH: process.env['PATH'] };
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const stack = await readStack(folder, 'staging', { PULUMI_CONFIG_PASSPHRASE: 'only-an-example' });
      expect(openEnvironment(stack, {})?.providers).toHaveLength(1);
    },
  );
});

test('docs/commands.md has each exit code once', () => {
  const section = /^## Exit codes$([\s\S]*?)^## /m.exec(read('docs/commands.md'))?.[1] ?? '';
  expect([...section.matchAll(/^\|(\d+)\|/gm)].map(([, code]) => code)).toEqual(['0', '1', '2', '3', '130']);
});

longTest('the claims that the README has explained sign in', () => {
  const shown = lines('npx gatehouse').find((line) => line.includes('--claims examples/')) ?? '';
  const env = { PATH: process.env['PATH'], PULUMI_CONFIG_PASSPHRASE: passphrase };
  const { status, stdout } = spawnSync(process.execPath, [bin, ...wordsOf(shown).slice(2)], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Signs in as system:serviceaccount:shop:web/),
  });
});
