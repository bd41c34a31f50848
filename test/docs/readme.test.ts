import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { appliedEnvironmentFor, root } from '../harness/environment-under-test.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';
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

describeOnEmbeddedService('a backdoor', (service) => {
  const environment = appliedEnvironmentFor(service);

  test('is what drift of the dev stack says, as the README shows', async () => {
    const { client, env } = environment();
    await client.post('auth/cluster/role/backdoor', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['x'],
      token_policies: ['secrets-admin'],
    });
    const { code, out } = await runCommand(['drift', '-s', 'dev'], env, await environment().writeProject());
    const shown = blockOf('text drift');
    expect({ code, out: out.slice(0, shown.length) }).toEqual({ code: 2, out: shown });
    expect(shown).toContain('backdoor');
  });
});
