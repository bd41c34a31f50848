import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { run } from '../../../test/harness/fetched.ts';
import { describeWithPackageManagers } from '../../../test/harness/package-managers.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { startPluginHost } from './plugin-host.ts';

describeWithPackageManagers(({ name }) => {
  if (name !== 'npm') return;
  const scratch = temporaryFolder();

  // What Pulumi does with a plugin from Git (docs/adr/0023-packages-are-workspaces.md).
  test('`npm install` in the folder of a clone is all that the plugin needs', async () => {
    const clone = join(scratch, 'clone');
    await run('git', ['clone', '--quiet', '--local', root, clone]);
    const folder = join(clone, 'packages/pulumi-package');
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...quiet], { cwd: folder, env: { ...process.env, PATH } });
    await using host = await startPluginHost(folder);
    expect(JSON.parse(await host.schema())).toMatchObject({ name: 'gatehouse' });
    // What only tests and the command need stays away.
    for (const other of ['jest', 'fastify', '@gatehouse/cli'])
      expect(existsSync(join(clone, 'node_modules', other))).toBe(false);
  });
});
