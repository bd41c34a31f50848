import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { EnvironmentUnderTest, root } from '../../../test/harness/environment-under-test.ts';
import { startKillingProxy } from '../../../test/harness/killing-proxy.ts';
import { started } from '../../../test/harness/started.ts';
import { describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import type { Client } from '../../secrets-service/src/identity-provider/development.ts';

describeOnEmbeddedService('a rotation that was killed with SIGKILL', (service) => {
  let client: Client;
  let folder: string;
  let wholeMs: number;
  let count = 0;

  const proxy = started(() => startKillingProxy(service().address));
  const environment = started(() =>
    EnvironmentUnderTest.start({ address: proxy().address, token: service().token }),
  );
  beforeAll(async () => {
    [client] = environment().clients.cloud_directory as [Client];
    folder = await environment().writeProject();
    expect(await gatehouse(['up'])).toBe(0);
    const before = Date.now();
    await rotate(secondSecret());
    wholeMs = Date.now() - before;
  });

  /** Resolves with the exit code, or with the signal that ended the command. */
  async function gatehouse(
    args: string[],
    env: NodeJS.ProcessEnv = {},
    began?: (child: ChildProcess) => unknown,
  ) {
    const options = ['-s', 'dev', '--yes', '--engine', 'local', '-C', folder];
    const child = spawn(process.execPath, [join(root, 'packages/cli/gatehouse.mjs'), ...args, ...options], {
      env: { ...environment().env, ...env },
      stdio: 'ignore',
    });
    began?.(child);
    const [code, signal] = await once(child, 'exit');
    return signal ?? code;
  }

  function secondSecret(): string {
    count += 1;
    client.otherSecrets = [`rotated-${count}`];
    return `rotated-${count}`;
  }

  const start = (secret: string, began?: (child: ChildProcess) => unknown) =>
    gatehouse(['rotate', 'staff'], { GATEHOUSE_CLIENT_SECRET: secret }, began);

  /** Rotates to the end, and ends the old secret. */
  async function rotate(secret: string): Promise<void> {
    expect(await start(secret)).toBe(0);
    Object.assign(client, { clientSecret: secret, otherSecrets: [] });
  }

  const policies = async () => (await environment().signInAlice('staff', 'reader'))['policies'];

  test.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'before'],
    [3, 'before'],
  ] as const)(
    'at write %i to the service, %s it: people sign in, and the next finishes it',
    async (write, moment) => {
      const secret = secondSecret();
      expect(await start(secret, ({ pid = 0 }) => proxy().arm({ pid, write, moment }))).toBe('SIGKILL');
      proxy().arm(undefined);
      expect(await policies()).toContain('secrets-read');
      await rotate(secret);
      expect(await policies()).toContain('secrets-read');
    },
  );

  test.each([0.3, 0.7])('after %d of its time: people sign in, and the next finishes it', async (part) => {
    const secret = secondSecret();
    // It may have ended by then, on a machine that is less busy now: then there was nothing to finish.
    await start(secret, (child) => sleep(part * wholeMs).then(() => child.kill('SIGKILL')));
    expect(await policies()).toContain('secrets-read');
    await rotate(secret);
    expect(await policies()).toContain('secrets-read');
  });
});
