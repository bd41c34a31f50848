import { delimiter, dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import { cli } from '../../../../test/harness/pulumi/programs.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { servePlugin } from '../../src/plugins/serve.ts';
import { VaultPlugin } from '../../src/plugins/vault/vault-plugin.ts';
import { PulumiEngine } from '../../src/pulumi/pulumi-engine.ts';
import { registering, startProgramHost } from '../differential/program-host.ts';
import { goal } from '../local/registrations.ts';
import { stackOf } from '../stack-of.ts';

describeWithPulumi('what the real CLI cannot do is said in one line', 'newest', (home) => {
  const stackIn = async () => {
    const directory = temporaryFolder({
      'Pulumi.yaml': 'name: project\nruntime: nodejs\n',
      'package.json': '{}',
    });
    await home().pulumi(directory, 'stack', 'init', directory.split('-').at(-1) ?? '');
    return stackOf({ directory, project: 'project', name: directory.split('-').at(-1) ?? '' });
  };
  const preview = async (env: NodeJS.ProcessEnv) => {
    const engine = new PulumiEngine({ env: { ...home().env, ...env } });
    const stack = await stackIn();
    const result = await engine.run({ verb: 'preview', stack, dryRun: true, refresh: false, targets: [] });
    expect(result.succeeded).toBe(false);
    return result.diagnostics.filter(({ severity }) => severity === 'error');
  };

  test('without a language host, it names it', async () => {
    const PATH = [dirname(cli('newest')), dirname(process.execPath)].join(delimiter);
    expect(await preview({ PATH })).toEqual([
      {
        severity: 'error',
        code: 'pulumi_language_host_missing',
        message: expect.stringContaining('pulumi-language-nodejs'),
      },
    ]);
  });

  test('our plugin refuses a program for another major version of the official one', async () => {
    const host = await startProgramHost();
    host.program = registering((register) =>
      register(goal('read', { policy: '' }, { type: 'vault:index/policy:Policy', version: '8.0.0' })),
    );
    const plugin = await servePlugin(() => new VaultPlugin({}), 'vault', '7.8.0');
    const errors = await preview({
      PULUMI_DEBUG_LANGUAGES: `nodejs:${host.port}`,
      PULUMI_DEBUG_PROVIDERS: `vault:${plugin.port}`,
    });
    host.close();
    await plugin.close();
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('must be 7, the version that this plugin follows'),
    ]);
  });
});
