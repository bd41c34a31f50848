import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { deployStack } from '../deploy/deploy.ts';
import { stackSecrets } from '../open/open-environment.ts';
import { serve } from '../serve/serve.ts';

interface DevRunTasksArgs {
  /** Port of platform, integrator and pages; 0 lets the system choose. */
  port: number;
  /** Variables with the address of the secrets service and a root token. */
  env: NodeJS.ProcessEnv;
  version: string;
}

/** Platform and integrator of the dev stack, with their pages, on one server. */
export interface DevRunTasks {
  address: string;
  /** Deploys the dev stack, gated by its run tasks. @throws GatehouseError `dev_not_applied` */
  deploy(): Promise<RunView>;
  close(): Promise<void>;
}

/**
 * Serves the run tasks of the dev stack. Their store and log are in the stack's home.
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
    // The user may have set these for another platform.
    env: { ...env, DATABASE_URL: undefined, GATEHOUSE_PLATFORM_ADDRESS: undefined },
    endpoints: Object.entries(stackSecrets(stack, 'runTaskKeys')).map(([name, key]) => ({
      name,
      keys: [key],
      stack: stack.name,
    })),
    // Whoever changes the files here also applies them.
    plansInPlace: true,
    home,
    port,
    version,
    host: '127.0.0.1',
    logTo: log,
  });
  return {
    address,
    async deploy() {
      const run = await deployStack({
        stack: stack.name,
        message: 'gatehouse dev',
        speculative: false,
        address,
        env,
        // People edit files and start again to try things out.
        allowUncommitted: true,
        onChange: () => {},
      });
      if (run.status === 'applied' || run.status === 'planned_and_finished') return run;
      const reasons = [run.reason ?? run.status, ...run.tasks.flatMap(({ message }) => message ?? [])];
      throw new GatehouseError('dev_not_applied', { values: { reasons: reasons.join('\n  ') } });
    },
    async close() {
      await close();
      await new Promise<void>((done) => log.end(done));
    },
  };
}
