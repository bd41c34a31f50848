import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Stack } from '../../engine/stack.ts';
import { deployStack, type RunSnapshot } from '../deploy.ts';
import { stackSecrets } from '../open-environment.ts';
import { serve } from '../serve/serve.ts';

export interface DevRunTasksArgs {
  /** Port of platform, integrator and pages; 0 lets the system choose. */
  port: number;
  /** With the address of the secrets service and a token that may do everything. */
  env: NodeJS.ProcessEnv;
  version: string;
}

/** Platform and integrator of the dev stack, in one server with their pages. */
export interface DevRunTasks {
  address: string;
  /** Has the dev stack deployed, gated by its run tasks. @throws GatehouseError `dev_not_applied` */
  deploy(): Promise<RunSnapshot>;
  close(): Promise<void>;
}

/**
 * Serves the run tasks of the dev stack. What they keep, and their log, is in the stack's home.
 *
 * @throws GatehouseError what `serve` throws
 */
export async function startDevRunTasks(
  stack: Stack,
  { port, env, version }: DevRunTasksArgs,
): Promise<DevRunTasks> {
  const home = join(stack.home, 'dev');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const log = createWriteStream(join(home, 'run-tasks.log'), { mode: 0o600 });
  const { address, close } = await serve({
    directory: stack.directory,
    // Whatever this machine's user has set for a platform of their own is not for this one.
    env: { ...env, DATABASE_URL: undefined, GATEHOUSE_PLATFORM_ADDRESS: undefined },
    endpoints: Object.entries(stackSecrets(stack, 'runTaskKeys')).map(([name, key]) => ({
      name,
      keys: [key],
      stack: stack.name,
    })),
    ...{ home, port, version, host: '127.0.0.1', logTo: log },
  });
  return {
    address,
    async deploy() {
      const message = 'gatehouse dev';
      const run = await deployStack({
        ...{ stack: stack.name, message, speculative: false, address, env, onChange: () => {} },
      });
      if (run.status === 'applied' || run.status === 'planned_and_finished') return run;
      throw new GatehouseError({
        code: 'dev_not_applied',
        what: 'the dev stack could not be deployed:',
        fix: [run.reason ?? run.status, ...run.tasks.flatMap(({ message: said }) => said ?? [])].join('\n  '),
      });
    },
    async close() {
      await close();
      await new Promise<void>((done) => log.end(done));
    },
  };
}
