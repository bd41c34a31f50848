import { join } from 'node:path';
import type { Store } from './bench-databases.ts';
import { root } from './bench-project.ts';
import { runTaskKey } from './run-task-request.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/**
 * `gatehouse serve` as a user starts it, with one endpoint.
 *
 * @param origin of the one platform that it may call
 * @param withPlatform whether it gates runs, too
 */
export async function startGatehouseServe(
  { url, home }: Store,
  origin: string,
  { withPlatform }: { withPlatform: boolean },
): Promise<ServerProcess & { endpoint: string }> {
  const { DATABASE_URL: _, VAULT_ADDR: __, ...env } = process.env;
  const server = await startServer(
    [
      join(root, 'cli', 'gatehouse.mjs'),
      'serve',
      ...['--json', '--port', '0', '--home', home, '--allow-origin', origin],
    ],
    {
      cwd: home,
      env: {
        ...env,
        GATEHOUSE_RUN_TASK_KEY: runTaskKey,
        ...(url === undefined ? {} : { DATABASE_URL: url }),
        // Nobody signs in: it is not called.
        ...(withPlatform ? { VAULT_ADDR: 'http://127.0.0.1:9' } : {}),
      },
    },
  );
  return { ...server, endpoint: `${server.address}/integrator/review` };
}
