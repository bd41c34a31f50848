import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const reading = (path: string) => `path "${path}" { capabilities = ["read"] }`;

describeWithOpenBao('a stack that declares a policy which the service has', (server) => {
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  let folder = '';
  let env: NodeJS.ProcessEnv = {};
  const gatehouse = (...argv: string[]) => runCommand(argv, env, folder);
  const textOf = async (name: string) => (await client().read(`sys/policies/acl/${name}`))?.data['policy'];

  beforeAll(async () => {
    folder = projectFolder({
      'Pulumi.dev.yaml': `config:
  gatehouse:service: { address: ${server().address}, features: { messages: false } }
  gatehouse:providers: []
  gatehouse:policies:
    - name: deploy
      policy: ${JSON.stringify(reading('secret/data/*'))}
`,
      'package.json': JSON.stringify({ type: 'module', main: 'main.mjs' }),
    });
    writeFileSync(join(folder, 'main.mjs'), `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    env = { ...process.env, PULUMI_CONFIG_PASSPHRASE: 'x', VAULT_TOKEN: server().token };
    await client().put('sys/policies/acl/deploy', { policy: reading('secret/data/app') });
    await client().put('sys/auth/apps', { type: 'approle' });
    await client().put('auth/apps/role/web', { token_policies: ['deploy'] });
  });

  it('shows who gains by it, before anything is changed', async () => {
    const { code, out } = await gatehouse('preview', '-s', 'dev');
    expect(code).toBe(0);
    expect(out).toContain('role web of apps (approle)');
    expect(out).toContain('already exists on the service');
    const { review } = JSON.parse((await gatehouse('preview', '-s', 'dev', '--json')).out);
    expect(review).toMatchObject({
      gains: 'some',
      scope: { complete: true, whole: true },
      taken: [{ type: 'policy', name: 'deploy' }],
    });
  });

  it('is not applied, unless it names what to take over', async () => {
    const refused = await gatehouse('up', '-s', 'dev', '--yes');
    expect(refused).toMatchObject(failed('would_take_over'));
    expect(refused.err).toContain("--take-over 'policy deploy'");
    expect(await textOf('deploy')).toBe(reading('secret/data/app'));
    const misspelled = await gatehouse('up', '-s', 'dev', '--yes', '--take-over', 'policy deplyo');
    expect(misspelled).toMatchObject(failed('target_unknown'));
    expect(misspelled.err).toContain("Did you mean 'policy deploy'?");
    expect(await textOf('deploy')).toBe(reading('secret/data/app'));
    expect((await gatehouse('up', '-s', 'dev', '--yes', '--take-over', 'policy deploy')).code).toBe(0);
    expect(await textOf('deploy')).toBe(reading('secret/data/*'));
  });

  it('has it once it was taken over', async () => {
    const { review } = JSON.parse((await gatehouse('preview', '-s', 'dev', '--json')).out);
    expect(review).toMatchObject({ gains: 'none', losses: 'none', taken: [], scope: { whole: true } });
  });
});
