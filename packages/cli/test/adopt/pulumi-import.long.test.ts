import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { changes, environmentFor, root } from '../../../../test/harness/environment-under-test.ts';
import { run } from '../../../../test/harness/fetched.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { servePlugin } from '../../../engine/src/plugins/serve.ts';
import { VaultPlugin } from '../../../engine/src/plugins/vault/vault-plugin.ts';
import { PulumiEngine } from '../../../engine/src/pulumi/pulumi-engine.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { adopt } from '../../src/adopt/adopt.ts';

describeOnBothServers('what adopt wrote is imported', (server) => {
  const environment = environmentFor(server);
  describeWithPulumi('by the real CLI', 'newest', (home) => {
    const plugin = started(() =>
      servePlugin(
        // What is imported has no provider of the program yet.
        () => new VaultPlugin({ ...environment().env, VAULT_ADDR: server().address }),
        'vault',
        '7.8.0',
      ),
    );

    test('with all resources, and an up then writes only what no service reveals', async () => {
      expect((await environment().run('up')).succeeded).toBe(true);
      const directory = temporaryFolder();
      const { address } = server();
      const adoption = await adopt({
        directory: root,
        output: directory,
        stack: 'adopted',
        env: environment().env,
        service: { address, dialect: 'vault', features: { messages: server().kind === 'embedded' } },
      });
      expect(adoption.isProven).toBe(true);
      copyFileSync(join(root, 'Pulumi.yaml'), join(directory, 'Pulumi.yaml'));
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
      writeFileSync(join(directory, 'package.json'), '{ "type": "module", "main": "main.mjs" }');
      // As a team has it: policies are read from its own folder.
      const built = `import { buildEnvironment } from ${JSON.stringify(join(root, 'stacks/environment.ts'))};`;
      const exported = 'export const { methods } = await buildEnvironment(import.meta.dirname);';
      writeFileSync(join(directory, 'main.mjs'), `${built}\n${exported}\n`);
      const { VAULT_TOKEN, GATEHOUSE_SERVICE_ADDRESS } = environment().env;
      const env = {
        ...home().env,
        VAULT_TOKEN,
        GATEHOUSE_SERVICE_ADDRESS,
        PULUMI_DEBUG_PROVIDERS: `vault:${plugin().port}`,
      };
      const options = ['--file', 'import.adopted.json', '--protect=false', '--generate-code=false'];
      const pulumi = (...words: string[]) =>
        run('pulumi', [...words, '--stack', 'adopted', '--non-interactive'], {
          cwd: directory,
          env,
          maxBuffer: 256 * 1024 * 1024,
        });
      await pulumi('stack', 'init');
      const secrets = environment().stack().config.get('gatehouse:clientSecrets')?.value ?? '{}';
      for (const [name, secret] of Object.entries<string>(JSON.parse(secrets))) {
        await pulumi('config', 'set', '--secret', '--path', `gatehouse:clientSecrets.${name}`, secret);
      }
      await pulumi('import', ...options, '--yes');
      const stack = await readStack(directory, 'adopted', env);
      const engine = new PulumiEngine({ env });
      const plan = { stack, refresh: false, targets: [] };
      const named = Object.keys(JSON.parse(secrets)).map((name) => `update ${name}-mount`);
      const preview = await engine.run({ ...plan, verb: 'preview', dryRun: true });
      expect(changes(preview)).toEqual(['create service', ...named.sort()]);
      const differing = preview.steps.flatMap(({ detailedDiff = {} }) => Object.keys(detailedDiff));
      expect(new Set(differing)).toEqual(new Set(['oidcClientSecret']));
      expect((await engine.run({ ...plan, verb: 'up', dryRun: false })).succeeded).toBe(true);
      expect(changes(await engine.run({ ...plan, verb: 'preview', dryRun: true, refresh: true }))).toEqual(
        [],
      );
    });
  });
});
