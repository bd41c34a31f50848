import { expect, test } from '@jest/globals';
import { up } from '../../packages/cli/src/deployment/deployment.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { environmentFor } from '../harness/environment-under-test.ts';
import { started } from '../harness/started.ts';

const service = started(startEmbeddedService);
const environment = environmentFor(service);

test('objects in a cluster need the Pulumi CLI: the local engine says so in the preview, and nothing is made', async () => {
  const before = await environment().live();
  const stack = environment().stack((config) => {
    config['providers'] = [
      {
        kind: 'kubernetes',
        name: 'cluster',
        issuer: 'https://cluster.example.com',
        cluster: { openDiscovery: true, serviceAccounts: true },
        roles: [{ name: 'web', namespace: 'shop', serviceAccount: 'web', ttl: '10m' }],
      },
    ];
    for (const key of ['clientSecrets', 'serviceAccountKeys', 'promises', 'groups']) delete config[key];
  });
  const engine = new LocalEngine({ env: environment().env });
  const request = { stack, refresh: false, targets: [], approval: 'given' as const };
  const sink = { onEvent() {}, review: async () => true, confirm: async () => true };
  const { applied, outcome, deployment } = await up(request, engine, sink);
  expect([applied, outcome]).toEqual([false, 'failed']);
  const errors = deployment.diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, urn }) => [code, urn?.split('::').at(-1)]).sort()).toEqual([
    ['engine_plugin_missing', 'cluster-open-discovery'],
    ['engine_plugin_missing', 'cluster-shop/web'],
  ]);
  for (const { message } of errors) expect(message).toContain('--engine pulumi');
  expect(await environment().live()).toEqual(before);
});
