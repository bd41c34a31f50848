import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ProviderKind } from '../../core/model/kinds/kinds.ts';
import { signWorkloadToken } from '../../embedded/identity/workload-issuer.ts';
import type { Stack } from '../../engine/stack.ts';
import { drift } from '../../operations/drift.ts';
import { type PipelineCase, pipelineCases } from '../core/model/kinds/pipeline-kinds.ts';
import { changes, type DevConfig, EnvironmentUnderTest } from '../harness/environment-under-test.ts';
import { PrivateIssuer } from '../harness/private-issuer.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

const cases = Object.entries(pipelineCases) as [ProviderKind, PipelineCase][];

describeOnBothServers('the kinds for pipelines, through their components', (service) => {
  const server = new PrivateIssuer();
  let environment: EnvironmentUnderTest;
  let stack: Stack;

  beforeAll(async () => {
    await server.start();
    environment = await EnvironmentUnderTest.start(service());
    stack = environment.stack((config: DevConfig) => {
      config['providers'] = cases.map(([kind, { role }]) => ({
        ...{ kind, name: kind, issuer: server.issuer.url, caPem: server.caPem, audience: 'secrets' },
        roles: [{ name: 'deploy', ...role, ttl: '10m' }],
      }));
      for (const key of ['clientSecrets', 'messages', 'serviceAccountKeys', 'promises']) delete config[key];
    });
    const { diagnostics } = await environment.run('up', stack);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
  afterAll(async () => {
    await environment?.close();
    server.close();
  });

  const signsIn = async (kind: ProviderKind, claims: Record<string, unknown>) => {
    const jwt = await signWorkloadToken(kind, server.issuer, {
      ...{ subject: 'job', audience: 'secrets', claims },
    });
    const login = environment.client.post(`auth/${kind}/login`, { role: 'deploy', jwt });
    return await login.then(
      ({ auth }) => auth?.['lease_duration'] === 600,
      () => false,
    );
  };

  test.each(cases)('%s lets in the job that its role means, and no other', async (kind, one) => {
    expect(await signsIn(kind, one.claims)).toBe(true);
    for (const changed of [{ iss: 'https://else.example' }, { aud: 'else' }, ...one.refused]) {
      expect([changed, await signsIn(kind, { ...one.claims, ...changed })]).toEqual([changed, false]);
    }
  });

  test('are unchanged by a second up, and have not drifted', async () => {
    expect(changes(await environment.run('up', stack))).toEqual([]);
    const report = await drift({ stack, env: environment.env, unmanaged: false });
    expect(report.differences).toEqual([]);
  });
});
