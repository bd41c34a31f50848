import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EnvironmentUnderTest, root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { adopt } from '../../src/adopt/adopt.ts';

describeOnBothServers('adopting the dev service', (server) => {
  let environment: EnvironmentUnderTest;
  let output: string;
  beforeAll(async () => {
    output = temporaryFolder();
    environment = await EnvironmentUnderTest.start(server());
    const { succeeded } = await environment.run('up');
    expect(succeeded).toBe(true);
  });
  afterAll(async () => {
    await environment?.close();
  });

  const adoptAs = (stack: string) =>
    adopt({
      ...{ directory: root, output, stack, env: environment.env },
      service: { address: server().address, dialect: 'vault', features: { messages: true } },
    });

  test('writes an environment whose import leaves nothing to do', async () => {
    const before = await environment.live();
    const adoption = await adoptAs('adopted');
    expect(adoption.problems).toEqual([]);
    expect(adoption.isProven).toBe(true);
    expect(adoption.left).toEqual([]);
    expect(await environment.live()).toEqual(before);
    const text = await readFile(join(output, 'Pulumi.adopted.yaml'), 'utf8');
    expect(text).toContain('REQUIRED');
  });

  test('names each resource once in the import file, as pulumi import finds parents by name', async () => {
    const { resources } = JSON.parse(await readFile(join(output, 'import.adopted.json'), 'utf8'));
    const names = resources.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { parent } of resources) if (parent !== undefined) expect(names).toContain(parent);
    expect(resources).toContainEqual(
      expect.objectContaining({
        name: 'cluster-authMethod',
        logicalName: 'cluster',
        parent: 'cluster-containerOrchestrator',
      }),
    );
  });

  test('names field by field what stays as it is, and proves the rest', async () => {
    const { client } = environment;
    const isOpenBao = server().kind !== 'embedded';
    const config = (await client.read('auth/staff/config'))?.data ?? {};
    // Pulumi's plugin would take this for a change: no service tells the secret.
    await client.post('auth/staff/config', {
      ...config,
      oidc_client_secret: 'x',
      bound_issuer: 'https://other.example',
    });
    await client.post('identity/group', { name: 'internal', policies: ['secrets-read'] });
    const role = (await client.read('auth/cluster/role/web'))?.data ?? {};
    if (isOpenBao) {
      await client.put('auth/cluster/role/web', { ...role, token_strictly_bind_ip: true });
      await client.post('sys/auth/people', { type: 'userpass' });
      await client.post('sys/auth/cluster/tune', { audit_non_hmac_request_keys: ['jwt'] });
    }
    const before = await environment.live();
    const { problems, isProven, left } = await adoptAs('again');
    expect({ problems, isProven }).toEqual({ problems: [], isProven: true });
    expect(await environment.live()).toEqual(before);
    const stays = 'no stack can declare this field: it stays as it is';
    expect(left.sort()).toEqual(
      [
        'group "internal": internal, policies secrets-read: it has no group as a member, so no one is in it',
        ...(isOpenBao
          ? [
              'auth/people: of type userpass',
              `auth/cluster, tune.auditNonHmacRequestKeys: ${stays}`,
              `role "web" of auth/cluster, tokenStrictlyBindIp: ${stays}`,
            ]
          : []),
      ].sort(),
    );
    const written = await readFile(join(output, 'Pulumi.again.yaml'), 'utf8');
    expect(written).toContain('boundIssuer: "https://other.example"');
    await expect(adoptAs('again')).rejects.toMatchObject({ code: 'file_exists' });
  });
});
