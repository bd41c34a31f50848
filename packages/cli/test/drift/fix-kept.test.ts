import { expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { asOfficial } from '../../../../test/harness/official-plugin.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import { LocalEngine } from '../../../engine/src/local/local-engine.ts';
import { VaultPlugin } from '../../../engine/src/plugins/vault/vault-plugin.ts';
import { runCommand } from '../running-command.ts';

describeOnEmbeddedService('drift --fix', (service) => {
  const environment = environmentFor(service);

  test('names what the plugin left as it was, and exits with 2', async () => {
    const { env, client } = environment();
    const plugins = { vault: async () => asOfficial(new VaultPlugin(env)) };
    const openEngine = async () => ({ engine: new LocalEngine({ env, plugins }) });
    const directory = await environment().writeProject();
    const gatehouse = (line: string) => runCommand(line.split(' '), env, directory, { openEngine });
    expect(await gatehouse('up -s dev --yes')).toMatchObject({ code: 0 });
    await client.post('sys/auth/staff/tune', { description: 'by hand' });
    const { code, err } = await gatehouse('drift -s dev --fix --yes');
    expect(err).toContain('Still not as declared, though it was applied: method staff (description).');
    expect(code).toBe(2);
  });
});
