import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EnvironmentUnderTest, root } from '../../../../test/harness/environment-under-test.ts';
import { type KillingProxy, startKillingProxy } from '../../../../test/harness/killing-proxy.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';

/** Goes below the address of the service: it has no messages. */
const withoutMessages = (yaml: string) =>
  yaml.replace(/( +)address: .*:8200\n/, '$&$1features: { messages: false }\n');

/** `GATEHOUSE_COUNT` takes more of them. */
const seeds = Array.from({ length: Number(process.env['GATEHOUSE_COUNT'] ?? 4) }, (_, index) => index + 1);

/**
 * `up` of the dev stack, messages included where the service has them, killed with SIGKILL at seeded writes; the next
 * `up` must end with the right live state, nothing twice. The write and the side of it on which the process dies come
 * from the seed.
 */
describeOnBothServers('an up that was killed with SIGKILL', (service) => {
  let proxy: KillingProxy;
  let environment: EnvironmentUnderTest;
  let project: string;
  let whole: unknown;
  let writes: number;

  beforeAll(async () => {
    const { address, token, kind } = service();
    proxy = await startKillingProxy(address);
    environment = await EnvironmentUnderTest.start({ address: proxy.address, token });
    project = await environment.writeProject(kind === 'openbao' ? withoutMessages : undefined);
    proxy.arm(undefined);
    expect(await command('up')).toBe(0);
    writes = proxy.writes();
    whole = await state();
    expect(await command('destroy')).toBe(0);
  });
  afterAll(async () => {
    await environment.close();
    await proxy.close();
  });

  test.each(seeds)('seed %i: the next up ends with the right live state, nothing twice', async (seed) => {
    const write = 1 + ((Math.imul(seed, 2_654_435_761) >>> 0) % writes);
    const moment = seed % 2 === 0 ? 'before' : 'after';
    const where = `killed ${moment} write ${write} of ${writes}`;

    expect([where, await command('up', { write, moment })]).toEqual([where, 'SIGKILL']);
    expect([where, await command('up')]).toEqual([where, 0]);
    expect([where, await state()]).toEqual([where, whole]);
    proxy.arm(undefined);
    expect([where, await command('up')]).toEqual([where, 0]);
    expect([where, proxy.writes()]).toEqual([where, 0]);
    expect([where, await command('destroy')]).toEqual([where, 0]);
  });

  async function state() {
    const path = 'sys/config/ui/custom-messages';
    const listed = service().kind === 'embedded' ? await environment.client.list(path) : undefined;
    const messages = Object.values((listed?.data['key_info'] ?? {}) as Record<string, { title: string }>);
    return { ...(await environment.live()), messages: messages.map(({ title }) => title).sort() };
  }

  /** Runs the real command; resolves to its exit code, or the signal that ended it. */
  function command(
    verb: string,
    kill?: { write: number; moment: 'before' | 'after' },
  ): Promise<number | string> {
    return new Promise((resolve, reject) => {
      const cli = [
        join(root, 'packages/cli/gatehouse.mjs'),
        verb,
        '-s',
        'dev',
        '--yes',
        '--engine',
        'local',
        '-C',
        project,
      ];
      const child = spawn(process.execPath, cli, {
        env: environment.env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let problems = '';
      child.stderr.on('data', (chunk) => {
        problems += chunk;
      });
      proxy.arm(kill === undefined || child.pid === undefined ? undefined : { ...kill, pid: child.pid });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        if (code !== 0 && signal === null) console.error(problems);
        resolve(signal ?? code ?? -1);
      });
    });
  }
});
