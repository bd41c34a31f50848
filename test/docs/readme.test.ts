import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { root } from '../harness/environment-under-test.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { blocksOf, read } from './markdown.ts';

const blockOf = (wanted: string) => blocksOf('README.md').find(({ info }) => info === wanted)?.text ?? '';

test('the review says of the change in the README what the README shows', async () => {
  const folder = temporaryFolder();
  for (const name of ['Pulumi.yaml', 'Pulumi.dev.yaml', 'policies'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'before');
  const [, removed = '', added = ''] = /^-(.*)\n\+(.*)\n$/.exec(blockOf('diff')) ?? [];
  const before = read('Pulumi.dev.yaml');
  expect(before).toContain(removed);
  writeFileSync(join(folder, 'Pulumi.dev.yaml'), before.replace(removed, added));
  const { code, out, err } = await runCommand(
    ['review', '-s', 'dev', '--since', 'HEAD'],
    { PATH: process.env['PATH'] },
    folder,
  );
  const shown = blockOf('text review');
  // What was not checked, and what is hidden, follows.
  expect({ code, err, out: out.slice(0, shown.length) }).toEqual({ code: 2, err: '', out: shown });
});
