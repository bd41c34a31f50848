import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { type Served, serve } from '../../src/serve/serve.ts';

let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let environment: EnvironmentUnderTest;
let token: string;
beforeAll(async () => {
  service = await startEmbeddedService();
  environment = await EnvironmentUnderTest.start(service);
  await write(service, 'sys/namespaces/team', {});
  const { auth } = await write(service, 'auth/token/create', { policies: ['gatehouse-deploy'] }, 'team');
  token = auth.client_token;
});
afterAll(async () => {
  await environment.close();
  await service.close();
});

/** Statuses that a gate answers the API with, to a token of `team` and to one of the root namespace. */
async function statuses(env: NodeJS.ProcessEnv, peopleNamespace?: string): Promise<number[]> {
  const served: Served = await serve({
    directory: await environment.writeProject(),
    home: temporaryFolder(),
    port: 0,
    host: '127.0.0.1',
    version: '1.2.3',
    endpoints: [],
    logTo: { write: () => {} },
    ...(peopleNamespace !== undefined && { peopleNamespace }),
    env: { ...environment.env, VAULT_ADDR: service.address, ...env },
  });
  try {
    const ask = (given: string) =>
      fetch(`${served.address}/runs`, { headers: { authorization: `Bearer ${given}` } });
    return [(await ask(token)).status, (await ask(service.token)).status];
  } finally {
    await served.close();
  }
}

test('people are those of VAULT_NAMESPACE', async () => {
  expect(await statuses({ VAULT_NAMESPACE: 'team' })).toEqual([200, 403]);
});

test('people are those of the namespace that is named, wherever stacks are deployed', async () => {
  expect(await statuses({}, '/team/')).toEqual([200, 403]);
  expect(await statuses({ VAULT_NAMESPACE: 'team' }, 'root')).toEqual([403, 200]);
});
