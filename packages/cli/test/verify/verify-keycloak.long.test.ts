import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { passphrase, root } from '../../../../test/harness/environment-under-test.ts';
import { describeWithKeycloak } from '../../../../test/harness/keycloak.ts';
import { createMainRealm, keycloakClient } from '../../../../test/harness/keycloak-realm.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { writeSecret } from '../../../engine/src/stack-files/write-secret.ts';
import { type EndedCommand, runCommand } from '../running-command.ts';

/** Nothing is behind its address: what is asked of the service fails, and what the provider says is what counts here. */
const noService = 'http://127.0.0.1:9';

describeWithKeycloak('gatehouse verify against Keycloak', (keycloak) => {
  let folder: string;
  const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
  const ui = `${noService}/ui/vault/auth/staff/oidc/callback`;

  beforeAll(async () => {
    await createMainRealm(keycloak(), [
      keycloakClient.redirectUri,
      'http://127.0.0.1:8250/oidc/callback',
      ui,
    ]);
    folder = temporaryFolder();
    await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    const environment = {
      'gatehouse:service': { address: noService },
      'gatehouse:providers': [
        {
          kind: 'keycloak',
          name: 'staff',
          authority: keycloak().address,
          realm: 'main',
          clientId: keycloakClient.clientId,
          roles: [{ name: 'reader', policies: ['default'] }],
        },
      ],
    };
    const write = async (stack: string, value: string) => {
      await writeFile(join(folder, `Pulumi.${stack}.yaml`), stringify({ config: environment }));
      const secret = { key: 'gatehouse:clientSecrets', name: 'staff', value };
      await writeSecret(await readStack(folder, stack, env), secret, env);
    };
    await write('right', keycloakClient.clientSecret);
    await write('wrong', 'another-secret');
  });

  const failed = ({ out }: EndedCommand) =>
    JSON.parse(out)
      .checks.filter(({ outcome, what }: any) => outcome === 'failed' && !what.startsWith('an address'))
      .map(({ subject, what }: any) => `${subject.type} ${subject.name}: ${what}`);
  const verify = (stack: string) => runCommand(['verify', '-s', stack, '--json'], env, folder);

  test('finds nothing where client and redirect URIs are right', async () => {
    expect(failed(await verify('right'))).toEqual([]);
  });

  test('names the method when the client secret is wrong', async () => {
    expect(failed(await verify('wrong'))).toEqual(['method staff: its client secret']);
  });

  test('names the role when a redirect URI is removed at the provider', async () => {
    const [client] = (await keycloak().admin('GET', `/main/clients?clientId=${keycloakClient.clientId}`)) as [
      { id: string; redirectUris: string[] },
    ];
    const redirectUris = client.redirectUris.filter((uri) => uri !== ui);
    await keycloak().admin('PUT', `/main/clients/${client.id}`, { ...client, redirectUris });
    expect(failed(await verify('right'))).toEqual([
      `role reader: its registration at the provider, for ${ui}`,
    ]);
  });
});
