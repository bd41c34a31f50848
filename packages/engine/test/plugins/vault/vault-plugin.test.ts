import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../../test/harness/embedded-service.ts';
import { GrpcPlugin } from '../../../../../test/harness/grpc-plugin.ts';
import { startProxy } from '../../../../../test/harness/proxy.ts';
import { started } from '../../../../../test/harness/started.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { Deployment } from '../../../src/local/deployment.ts';
import type { Registered } from '../../../src/local/goal.ts';
import { type ServedPlugin, servePlugin } from '../../../src/plugins/serve.ts';
import { VaultPlugin } from '../../../src/plugins/vault/vault-plugin.ts';
import type { PropertyMap } from '../../../src/property-value.ts';
import { MemoryStateStore } from '../../local/memory-state-store.ts';
import { goal } from '../../local/registrations.ts';
import { publicKey, types } from './resource-session.ts';

const resources: Record<string, { type: string; inputs: PropertyMap; changed: PropertyMap }> = {
  mount: {
    type: types.mount,
    inputs: { path: 'new', jwtValidationPubkeys: [publicKey] },
    changed: { path: 'newer' },
  },
  policy: {
    type: types.policy,
    inputs: { name: 'new', policy: 'path "a" { capabilities = ["read"] }' },
    changed: { policy: 'path "b" { capabilities = ["read"] }' },
  },
  group: {
    type: types.group,
    inputs: { name: 'new', type: 'external', policies: ['a'] },
    changed: { policies: ['b'] },
  },
  role: {
    type: types.role,
    inputs: { backend: 'jwt', roleName: 'new', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['a'] },
    changed: { boundAudiences: ['b'] },
  },
  message: {
    type: types.message,
    inputs: { title: 'New', messageBase64: 'bmV3', startTime: '2026-12-01T00:00:00Z' },
    changed: { messageBase64: 'bmV3ZXI=' },
  },
};

describe('a service that cannot be read after a write', () => {
  /** Whether nothing can be read once something was written. */
  let dims = false;
  let dark = false;
  let store: MemoryStateStore;
  const service = started(startEmbeddedService);
  const proxy = started(() =>
    startProxy(service().address, ({ incoming: { method, url = '' }, outgoing, pass }) => {
      const isOwn = url.includes('/auth/token/');
      if (method === 'GET' && dark && !isOwn) {
        outgoing.writeHead(403, { 'Content-Type': 'application/json' }).end('{"errors":["not now"]}');
        return;
      }
      if (method !== 'GET' && dims && !isOwn) dark = true;
      pass();
    }),
  );
  beforeAll(async () => {
    const client = new ServiceClient(service());
    await client.post('sys/auth/jwt', { type: 'jwt' });
    client.close();
  });
  beforeEach(() => {
    store = new MemoryStateStore();
  });

  async function deploy(work: (deployment: Deployment) => Promise<unknown>, dryRun = false) {
    const { token } = service();
    const deployment = new Deployment({
      project: 'project',
      stack: 'dev',
      store,
      plugins: { vault: async () => new VaultPlugin({}) },
      packageConfig: () => ({ address: proxy().address, token, skipChildToken: true }),
      dryRun,
    });
    try {
      await deployment.resolvePending();
      await work(deployment);
      const { steps, diagnostics } = deployment.result();
      return { steps: steps.map(({ op, failed }) => (failed ? `${op} failed` : op)), diagnostics };
    } finally {
      await deployment.close();
    }
  }

  function up(type: string, inputs: PropertyMap, dryRun = false) {
    return deploy(async (deployment) => {
      const done: Registered = await deployment.register(goal('it', inputs, { type, version: '7.8.0' }));
      await deployment.finish(done.result === 'done');
    }, dryRun);
  }

  async function dimmed<T>(work: () => Promise<T>): Promise<T> {
    dims = true;
    try {
      return await work();
    } finally {
      dims = dark = false;
    }
  }

  afterEach(async () => {
    const { diagnostics } = await deploy((deployment) => deployment.destroy());
    expect([diagnostics, store.names()]).toEqual([[], []]);
  });

  test('a mount that a killed up has moved is found where it is now, and neither lost nor made twice', async () => {
    const { type, inputs, changed } = resources['mount'] as (typeof resources)[string];
    await up(type, inputs);
    const { accessor } = store.row('it').outputs;
    const record = store.record;
    // The end of the step never reaches the state.
    store.record = () => {
      throw new Error('killed');
    };
    const next = { ...inputs, ...changed };
    await up(type, next).finally(() => {
      store.record = record;
    });
    expect(store.pending).toMatchObject([{ type: 'updating' }]);
    expect(await up(type, next)).toEqual({ steps: ['update'], diagnostics: [] });
    expect(store.row('it').outputs).toMatchObject({ path: 'newer', accessor });
    expect((await up(type, next)).steps).toEqual(['same']);
  });

  describe.each(Object.entries(resources))('%s', (_, { type, inputs, changed }) => {
    test('created, is in the state as it was written, and the next up goes on', async () => {
      const first = await dimmed(() => up(type, inputs));
      expect([first.steps, store.row('it').initErrors]).toEqual([
        ['create failed'],
        [expect.stringContaining('not now')],
      ]);
      expect((await up(type, inputs, true)).steps).toEqual(['update']);
      expect(await up(type, inputs)).toEqual({ steps: ['update'], diagnostics: [] });
      expect((await up(type, inputs)).steps).toEqual(['same']);
    });

    test('changed, is changed by the next up', async () => {
      await up(type, inputs);
      const next = { ...inputs, ...changed };
      expect((await dimmed(() => up(type, next))).steps).toEqual(['update failed']);
      expect(await up(type, next)).toEqual({ steps: ['update'], diagnostics: [] });
      expect((await up(type, next)).steps).toEqual(['same']);
    });
  });
});

const policyUrn = 'urn:pulumi:dev::test::vault:index/policy:Policy::reader';

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
      await plugin.create({ urn: policyUrn, properties, preview: false, timeout: 0 });
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
