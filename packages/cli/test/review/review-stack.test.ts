import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { reviewSettings } from '../../src/review/review-stack.ts';

let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let environment: EnvironmentUnderTest;
beforeAll(async () => {
  service = await startEmbeddedService();
  environment = await EnvironmentUnderTest.start(service);
  await write(service, 'sys/namespaces/team', {});
});
afterAll(async () => {
  await environment.close();
  await service.close();
});

/** The policies by which a review guards who applies a change to the root namespace, with a token of another one. */
async function deployerWith(namespace?: string): Promise<string[] | undefined> {
  const { auth } = await write(service, 'auth/token/create', { policies: ['deploying'] }, namespace);
  const env = { ...environment.env, VAULT_TOKEN: auth.client_token };
  const { options } = await reviewSettings(environment.stack(), env, undefined, false);
  return options.deployer?.policies;
}

test('a deploying token of the stack’s namespace is guarded by its policies', async () => {
  expect(await deployerWith()).toEqual(['default', 'deploying']);
});

test('policies of a deploying token of another namespace are not those of the stack', async () => {
  expect(await deployerWith('team')).toBeUndefined();
});
