import { readFileSync, symlinkSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rootToken } from '../../../../test/harness/embedded-service.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { cli } from '../../../../test/harness/pulumi/programs.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import type { RunView } from '../../../core/src/run-task/run.ts';
import { servePlugin } from '../../../engine/src/plugins/serve.ts';
import { VaultPlugin } from '../../../engine/src/plugins/vault/vault-plugin.ts';
import { type ServedStack, startServedStack } from './served-stack.ts';

const rules = { disabled: { 'redirect-uri-plain-http': 'the service of a test' } };
const stages = ['pre_plan', 'post_plan', 'pre_apply'];

describeOnPglite('a gated deployment', (databases) => {
  describeWithPulumi('through the real Pulumi CLI', 'newest', (home) => {
    let under: ServedStack;
    /** Commands of the CLI, one a line. */
    const notes = join(temporaryFolder({ notes: '' }), 'notes');
    const plugin = started(
      () => servePlugin(() => new VaultPlugin({ VAULT_TOKEN: rootToken }), 'vault', '7.8.0'),
      60_000,
    );
    beforeAll(async () => {
      const noting = temporaryFolder();
      const script = `#!/bin/sh\necho "$@" >> '${notes}'\nexec '${cli('newest')}' "$@"\n`;
      await writeFile(join(noting, 'pulumi'), script);
      await chmod(join(noting, 'pulumi'), 0o755);
      // Where the service is not on loopback, the CLI deploys; this address is not, and leads there all the same.
      const address = (own: string) => own.replace('127.0.0.1', '0.0.0.0');
      const env = {
        ...home().env,
        PATH: [noting, home().env['PATH']].join(delimiter),
        PULUMI_DEBUG_PROVIDERS: `vault:${plugin().port}`,
      };
      under = await startServedStack({ ...(await databases.place()), address, env });
      await under.gate([{ name: 'gate', stages, enforcement: 'mandatory' }]);
      await under.change((config) => {
        config['gatehouse:deployments'] = { confirm: 'always' };
        config['gatehouse:rules'] = rules;
      });
      symlinkSync(join(root, 'node_modules'), join(under.directory, 'node_modules'));
      await home().pulumi(under.directory, 'stack', 'init', 'dev');
    }, 60_000);
    afterAll(async () => {
      await under?.close();
    });

    test('is planned, reviewed, confirmed and applied', async () => {
      const waited: RunView[] = [];
      const run = await under.deploy({
        onWait: async (snapshot) => {
          waited.push(snapshot);
          return { verb: 'confirm' };
        },
      });
      expect(run.tasks.map(({ stage, status }) => [stage, status])).toEqual(
        stages.map((stage) => [stage, 'passed']),
      );
      expect([run.status, run.hasApplied, run.reason]).toEqual(['applied', true, null]);
      expect(waited.map(({ status }) => status)).toEqual(['waiting_for_confirmation']);
      // The plan is made again before it is applied, is the one that was approved, and is kept to.
      const commands = readFileSync(notes, 'utf8').split('\n');
      const deploying = commands.filter((line) => /^(preview|up) (?!--help)/.test(line));
      expect(deploying.map((line) => line.split(' ')[0])).toEqual(['preview', 'preview', 'up']);
      expect(deploying.at(-1)).toContain(' --plan ');
      expect((await under.environment.live()).roles).toContain('cluster/web');
    }, 120_000);
  });
});
