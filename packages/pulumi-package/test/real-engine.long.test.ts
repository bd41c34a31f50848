import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask } from '../../../test/harness/ask.ts';
import { changes, root } from '../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../test/harness/pulumi/pulumi.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { describeOnOpenBao } from '../../../test/harness/two-servers.ts';
import { type ServedPlugin, servePlugin } from '../../engine/src/plugins/serve.ts';
import { VaultPlugin } from '../../engine/src/plugins/vault/vault-plugin.ts';
import { PulumiEngine } from '../../engine/src/pulumi/pulumi-engine.ts';
import { stackOf } from '../../engine/test/stack-of.ts';
import { pem } from '../../secrets-service/test/conformance/tokens.ts';

const pack = join(root, 'packages/pulumi-package');
const text = 'path "secret/data/*" { capabilities = ["read"] }';
const jobs = {
  service: { address: 'https://secrets.example.com' },
  publicKeys: [pem.trim()],
  roles: [
    { name: 'deploy', policies: ['secrets-read'], boundAudiences: ['secrets'], ttl: 600 },
    { name: 'read', policies: ['secrets-read'], boundAudiences: ['secrets'] },
  ],
  groups: [{ name: 'all-jobs', alias: 'jobs', policies: ['secrets-read'] }],
};

/** The same program in each language, as the files of its folder. */
const programs: [language: string, files: Record<string, string>][] = [
  [
    'YAML',
    {
      'Pulumi.yaml': JSON.stringify({
        name: 'asking',
        runtime: 'yaml',
        plugins: { providers: [{ name: 'gatehouse', path: pack }] },
        resources: {
          read: { type: 'gatehouse:Policy', properties: { name: 'secrets-read', text } },
          jobs: { type: 'gatehouse:Jwt', properties: jobs },
        },
      }),
    },
  ],
  [
    'Node.js',
    {
      'Pulumi.yaml': JSON.stringify({
        name: 'asking',
        runtime: { name: 'nodejs', options: { typescript: false } },
        plugins: { providers: [{ name: 'gatehouse', path: pack }] },
      }),
      'package.json': '{ "type": "module", "main": "index.js" }',
      // What a generated SDK does.
      'index.js': `import * as pulumi from '@pulumi/pulumi';
class Component extends pulumi.ComponentResource {
  constructor(type, name, args) {
    super('gatehouse:index:' + type, name, args, {}, true);
  }
}
new Component('Policy', 'read', ${JSON.stringify({ name: 'secrets-read', text })});
new Component('Jwt', 'jobs', ${JSON.stringify(jobs)});
`,
    },
  ],
];

describeOnOpenBao('the package in the real engine', (server) => {
  describeWithPulumi('with a backend in a folder', 'newest', (home) => {
    let plugin: ServedPlugin;
    beforeAll(async () => {
      const { address, token } = server();
      const env = { VAULT_ADDR: address, VAULT_TOKEN: token };
      plugin = await servePlugin(() => new VaultPlugin(env), 'vault', '7.8.0');
    });
    afterAll(() => plugin?.close());

    test.each(programs)('from a program in %s', async (language, files) => {
      const directory = temporaryFolder(files);
      mkdirSync(join(directory, 'node_modules/@pulumi'), { recursive: true });
      symlinkSync(join(root, 'node_modules/@pulumi/pulumi'), join(directory, 'node_modules/@pulumi/pulumi'));
      const name = language.toLowerCase().replace('.', '');
      writeFileSync(join(directory, `Pulumi.${name}.yaml`), '');
      await home().pulumi(directory, 'stack', 'init', name);
      const stack = stackOf({ directory, project: 'asking', name });
      const engine = new PulumiEngine({
        env: { ...home().env, PULUMI_DEBUG_PROVIDERS: `vault:${plugin.port}` },
      });
      const run = async (verb: 'preview' | 'up' | 'destroy', refresh = false) => {
        const result = await engine.run({ verb, stack, dryRun: verb === 'preview', refresh, targets: [] });
        expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        return changes(result);
      };
      expect(await run('up')).toEqual(expect.arrayContaining(['create jobs', 'create read']));
      const role = await ask(server(), { method: 'GET', path: 'auth/jobs/role/deploy' });
      expect(role.body.data).toMatchObject({ token_policies: ['secrets-read'], token_ttl: 600 });
      expect(await run('preview', true)).toEqual([]);
      await run('destroy');
      expect((await ask(server(), { method: 'GET', path: 'auth/jobs/role/deploy' })).status).toBe(404);
    });
  });
});
