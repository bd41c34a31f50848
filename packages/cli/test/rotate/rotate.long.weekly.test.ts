import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import type { Engine } from '../../../engine/src/engine.ts';
import { LocalEngine } from '../../../engine/src/local/local-engine.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import type { Client } from '../../../secrets-service/src/identity-provider/development.ts';
import { type RotateRequest, type RotationStep, rotate, rotationSteps } from '../../src/rotate/rotate.ts';

describeOnBothServers('a rotation', (service) => {
  let client: Client;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let engine: Engine;
  let count = 0;

  const environment = environmentFor(service);
  beforeAll(async () => {
    folder = await environment().writeProject((yaml) =>
      service().kind === 'openbao'
        ? yaml.replace('platformAddress:', 'features: { messages: false }\n    platformAddress:')
        : yaml,
    );
    [client] = environment().clients.cloud_directory as [Client];
    env = { ...environment().env, GATEHOUSE_HOME: join(folder, 'home') };
    engine = new LocalEngine({ env });
    const request = { stack: await dev(), dryRun: false, refresh: false, targets: [] };
    expect(await engine.run({ verb: 'up', ...request })).toMatchObject({ succeeded: true });
  });

  const dev = () => readStack(folder, 'dev', env);
  const file = () => readFile(join(folder, 'Pulumi.dev.yaml'), 'utf8');
  const start = async (
    secret: string,
    fields: Partial<RotateRequest> = {},
    { onStep, by = engine }: { onStep?: (step: RotationStep) => void; by?: Engine } = {},
  ) =>
    await rotate(
      { stack: await dev(), env, name: 'staff', secret, approval: 'given', unverified: false, ...fields },
      by,
      { onEvent: () => {}, onStep, confirm: async () => true },
    );
  /** The provider has a second secret from now on. */
  const secondSecret = () => {
    count += 1;
    const secret = `rotated-${count}`;
    client.otherSecrets = [secret];
    return secret;
  };
  const endOld = (secret: string) => Object.assign(client, { clientSecret: secret, otherSecrets: [] });
  const signedIn = async () => (await environment().signInAlice('staff', 'reader'))['policies'];

  test('asks, writes, applies and proves; then the old secret may end', async () => {
    const secret = secondSecret();
    const steps: string[] = [];
    const rotation = await start(secret, {}, { onStep: (step) => steps.push(step) });
    expect(steps).toEqual(rotationSteps);
    expect(rotation).toMatchObject({ outcome: 'rotated', method: 'staff' });
    expect(rotation.checks.map(({ what, outcome }) => `${what}: ${outcome}`)).toEqual([
      'its new client secret: ok',
      ...Array(rotation.checks.length - 2).fill(expect.stringMatching(/^an address to sign in at, .*: ok$/)),
      'the secret that the service has: ok',
    ]);
    expect(JSON.stringify(rotation)).not.toContain(secret);
    expect(await file()).not.toContain(secret);
    endOld(secret);
    expect(await signedIn()).toContain('secrets-read');
  });

  test('to a secret that the provider refuses changes nothing', async () => {
    const before = await file();
    expect(await start('nobody knows it')).toMatchObject({ outcome: 'refused' });
    expect(await file()).toBe(before);
    expect(await signedIn()).toContain('secrets-read');
  });

  test('that is declined changes nothing', async () => {
    const before = await file();
    const stack = await dev();
    const request = { stack, env, name: 'staff', secret: secondSecret(), unverified: false } as const;
    const sink = { onEvent: () => {}, confirm: async () => false };
    expect(await rotate({ ...request, approval: 'ask' }, engine, sink)).toMatchObject({
      outcome: 'declined',
    });
    expect(await file()).toBe(before);
  });

  test('of a method that has other changes to apply changes nothing', async () => {
    const before = await file();
    const changed = before.replace('description: Employees', 'description: Everybody');
    expect(changed).not.toBe(before);
    await writeFile(join(folder, 'Pulumi.dev.yaml'), changed);
    await expect(start(secondSecret())).rejects.toMatchObject({
      code: 'other_changes',
      parts: { given: 'update method staff' },
    });
    expect(await file()).toBe(changed);
    await writeFile(join(folder, 'Pulumi.dev.yaml'), before);
  });

  test('whose provider cannot be asked changes nothing', async () => {
    const before = await file();
    const elsewhere = { ...env, GATEHOUSE_IDENTITY_ADDRESS: 'http://127.0.0.1:9' };
    expect(await start('new', { env: elsewhere })).toMatchObject({
      outcome: 'untold',
      checks: [{ what: 'its new client secret', outcome: 'unverified' }],
    });
    expect(await file()).toBe(before);
  });

  test('of a method that was never applied is an error', async () => {
    const stack = { ...(await dev()), home: join(folder, 'another-home') };
    await expect(start('new', { stack })).rejects.toMatchObject({ code: 'method_not_applied' });
  });

  test('is not proven when the provider no longer takes what the service has', async () => {
    const secret = secondSecret();
    const onStep = (step: RotationStep) => {
      if (step === 'apply') client.otherSecrets = [];
    };
    const { outcome, checks } = await start(secret, {}, { onStep });
    expect(outcome).toBe('unproven');
    expect(checks.at(-1)).toMatchObject({ what: 'the secret that the service has', outcome: 'failed' });
  });
});
