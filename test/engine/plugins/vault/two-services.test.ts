import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceClient } from '../../../../client/service-client.ts';
import { type ServedPlugin, servePlugin } from '../../../../engine/plugins/serve.ts';
import { VaultPlugin } from '../../../../engine/plugins/vault/vault-plugin.ts';
import { startEmbeddedService } from '../../../harness/embedded-service.ts';
import { GrpcPlugin } from '../../../harness/grpc-plugin.ts';

const urn = 'urn:pulumi:dev::test::vault:index/policy:Policy::reader';

describe('one running plugin, two providers with two services', () => {
  let services: Awaited<ReturnType<typeof startEmbeddedService>>[];
  let served: ServedPlugin;
  let plugins: GrpcPlugin[];
  beforeAll(async () => {
    services = await Promise.all([startEmbeddedService(), startEmbeddedService()]);
    served = await servePlugin(() => new VaultPlugin({}), 'vault', '7.8.0');
    plugins = await Promise.all(services.map(() => GrpcPlugin.attach(served.port)));
    for (const [index, plugin] of plugins.entries()) {
      const { address, token } = services[index] as (typeof services)[number];
      await plugin.configure({ inputs: { address, token } });
    }
  });
  afterAll(async () => {
    for (const plugin of plugins) await plugin.close();
    await served.close();
    for (const service of services) await service.close();
  });

  test('writes the resources of each to its own service', async () => {
    for (const [index, plugin] of plugins.entries()) {
      const properties = { name: `of-${index}`, policy: 'path "a" { capabilities = ["read"] }' };
      await plugin.create({ urn, properties, preview: false, timeout: 0 });
    }
    const found = await Promise.all(
      services.map(async (service) => {
        const client = new ServiceClient(service);
        const keys = (await client.list('sys/policies/acl'))?.data['keys'] as string[];
        client.close();
        return keys.filter((name) => name.startsWith('of-'));
      }),
    );
    expect(found).toEqual([['of-0'], ['of-1']]);
  });

  test('refuses to go over to another service on one connection', async () => {
    const { address } = services[1] as (typeof services)[number];
    await expect(plugins[0]?.configure({ inputs: { address, token: 'x' } })).rejects.toThrow(
      'already configured for another provider',
    );
  });
});
