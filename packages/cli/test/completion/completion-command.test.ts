// Completion, in the real shells; a machine without one of them skips its tests by name.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { failed, runCommand } from '../running-command.ts';

const bin = fileURLToPath(new URL('../../gatehouse.mjs', import.meta.url));
const folder = temporaryFolder();
beforeAll(() => {
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: gatehouse\nruntime: nodejs\n');
  const config = {
    'gatehouse:providers': [
      { name: 'staff', roles: [{ name: 'reader' }], groups: [{ name: 'admins' }] },
      { name: 'cluster', roles: [{ name: 'web' }] },
    ],
    // The last three are never proposed: a shell would do something with them.
    'gatehouse:policies': ['secrets-read', '$(touch taken)', 'a`b', 'x"; y'].map((name) => ({ name })),
  };
  writeFileSync(join(folder, 'Pulumi.dev.yaml'), JSON.stringify({ config }));
  writeFileSync(join(folder, 'Pulumi.prod.yaml'), 'config: {}\n');
  // As it is on PATH once it is installed.
  mkdirSync(join(folder, 'bin'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  writeFileSync(join(folder, 'bin', 'gatehouse'), script, { mode: 0o755 });
});

/** What may follow a command line, the last word of which is typed so far. */
async function following(...words: string[]): Promise<string[]> {
  const { code, out } = await runCommand(['completion', 'bash', '--', ...words], {}, folder);
  expect(code).toBe(0);
  return out.split('\n').filter(Boolean);
}

describe('what may follow', () => {
  const targets = ['provider staff', 'provider cluster', 'role staff/reader', 'role cluster/web'];
  test.each<[words: string[], ...expected: string[]]>([
    [['pre'], 'preview'],
    [['run', 'co'], 'confirm'],
    [['help', 'run', 'co'], 'confirm'],
    [['up', '--tar'], '--target'],
    [['up', '--stack', 'dev', '--eng'], '--engine'],
    [['up', '--engine', ''], 'local', 'pulumi'],
    [['up', '-s', ''], 'dev', 'prod'],
    [['who-can', 'up'], 'update'],
    [['completion', ''], 'bash', 'zsh', 'fish'],
    [['rotate', 'staff', '--secret'], '--secret-file'],
    [['up', '-s', 'dev', '--target', ''], ...targets, 'group staff/admins', 'policy secrets-read'],
    [['up', '-s', 'dev', '--exclude', "'role clu"], 'role cluster/web'],
    [['up', '-s', 'dev', '--exclude', 'role\\ clu'], 'role cluster/web'],
    // Left to the shell, which knows files.
    [['up', '--import', '']],
    [['review', '']],
    // Nothing to read: no message either.
    [['up', '-s', 'nowhere', '--target', '']],
    [['nothing', 'like', 'it']],
  ])('%j', async (words, ...expected) => {
    expect(await following(...words)).toEqual(expected);
  });

  test('of nothing is every command', async () => {
    expect(await following('')).toEqual(expect.arrayContaining(['dev', 'up', 'who-can', 'help']));
  });

  test('a shell that there is no script for is an error', async () => {
    expect(await runCommand(['completion', 'tcsh'])).toMatchObject(failed('argument_invalid'));
  });
});

function shell(program: string, ...argv: string[]): string[] {
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder };
  const { status, stdout, stderr } = spawnSync(program, argv, { cwd: folder, env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter(Boolean);
}

const has = (program: string) => spawnSync(program, ['--version']).status === 0;
const inZsh = has('zsh') ? test : test.skip;
const inFish = has('fish') ? test : test.skip;

describe('in a shell', () => {
  const inBash = (...words: string[]) => {
    const list = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    return shell(
      'bash',
      ...['--noprofile', '--norc', '-c'],
      `source <(gatehouse completion bash); COMP_WORDS=(gatehouse ${list}); COMP_CWORD=${words.length}
       _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  };

  test('bash completes commands, and quotes what has a space', () => {
    expect(inBash('des')).toEqual(['destroy']);
    expect(inBash('up', '-s', 'dev', '--target', 'role')).toEqual([
      'role\\ staff/reader',
      'role\\ cluster/web',
    ]);
    expect(inBash('up', '-s', 'dev', '--target', "'role c")).toEqual(['role cluster/web']);
  });

  inZsh('zsh completes commands with what they do', () => {
    const script = `compdef() { :; }; _describe() { print -rl -- "\${(@P)2}"; }; _files() { print files; }
      source <(gatehouse completion zsh)
      words=(gatehouse des); CURRENT=2; _gatehouse
      words=(gatehouse up -s dev --target 'role\\ c'); CURRENT=6; _gatehouse
      words=(gatehouse up --import ''); CURRENT=4; _gatehouse`;
    expect(shell('zsh', '-f', '-c', script)).toEqual([
      'destroy:delete everything that the stack created',
      'role cluster/web',
      'files',
    ]);
  });

  inZsh('zsh takes the script where compinit has run', () => {
    const script = `autoload -Uz compinit && compinit -D -u
      source <(gatehouse completion zsh); print -- $_comps[gatehouse]`;
    expect(shell('zsh', '-f', '-c', script)).toEqual(['_gatehouse']);
  });

  inFish('fish completes commands with what they do, names and files', () => {
    const complete = (line: string) =>
      shell('fish', '--no-config', '-c', `gatehouse completion fish | source; complete -C "${line}"`);
    expect(complete('gatehouse des')).toEqual(['destroy\tdelete everything that the stack created']);
    expect(complete('gatehouse up -s dev --target role')).toEqual(['role cluster/web', 'role staff/reader']);
    expect(complete('gatehouse review Pulumi.p')).toEqual(['Pulumi.prod.yaml']);
  });
});
