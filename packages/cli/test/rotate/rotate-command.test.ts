import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import type { Client } from '../../../secrets-service/src/identity-provider/development.ts';
import { failed, runCommand } from '../running-command.ts';

describeOnEmbeddedService('gatehouse rotate', (service) => {
  let client: Client;
  let folder: string;

  const gatehouse = async (secret: string | undefined, ...argv: string[]) => {
    const given = secret && { GATEHOUSE_CLIENT_SECRET: secret };
    const ended = await runCommand(argv, { ...environment().env, ...given }, folder);
    if (secret) expect(ended.out + ended.err).not.toContain(secret);
    return ended;
  };

  const environment = environmentFor(service);
  beforeAll(async () => {
    folder = await environment().writeProject();
    [client] = environment().clients.cloud_directory as [Client];
    expect(await gatehouse(undefined, 'up', '-s', 'dev', '--yes')).toMatchObject({ code: 0 });
  });

  test('exits with 0, says what was proven, and what to do with the old secret', async () => {
    client.otherSecrets = ['a-second-secret'];
    const { code, out } = await gatehouse('a-second-secret', 'rotate', 'staff', '-s', 'dev', '--yes');
    expect(out).toContain('  ok  its new client secret: the provider takes it\n');
    expect(out).toContain('  ok  the secret that the service has: the provider takes it\n');
    expect(out).toContain(
      'The new secret is in force. Commit Pulumi.dev.yaml, then delete the old secret at the provider.\n',
    );
    expect(code).toBe(0);
  });

  test('exits with 2 for a secret that the provider refuses', async () => {
    const argv = ['rotate', 'staff', '-s', 'dev', '--yes', '--json'];
    const { code, out } = await gatehouse('a-wrong-secret', ...argv);
    expect(JSON.parse(out)).toMatchObject({
      method: 'staff',
      outcome: 'refused',
      checks: [{ outcome: 'failed', detail: 'the provider refuses the client with it' }],
    });
    expect(code).toBe(2);
  });

  test('exits with 1 without a secret, without anybody to ask, and never repeats what may be the secret', async () => {
    expect(await gatehouse(undefined, 'rotate', 'staff', '-s', 'dev', '--yes')).toMatchObject(
      failed('secret_missing'),
    );
    expect(await gatehouse('another-secret', 'rotate', 'staff', '-s', 'dev')).toMatchObject(
      failed('confirmation_needed'),
    );
    expect(await gatehouse('another-secret', 'rotate', 'another-secret', '-s', 'dev')).toMatchObject(
      failed('secret_unknown'),
    );
  });
});
