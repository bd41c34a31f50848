import pino from 'pino';
import { platformAddress } from '../../client/run-client.ts';
import { Integrator, integratorRoutes } from '../../run-tasks/integrator/integrator.ts';
import type { Endpoint } from '../../run-tasks/integrator/review.ts';
import { Metrics } from '../../run-tasks/metrics.ts';
import { Outbound } from '../../run-tasks/outbound/outbound.ts';
import { pageRoutes } from '../../run-tasks/pages/page-routes.ts';
import { platformRuns } from '../../run-tasks/pages/platform-runs.ts';
import { storedDeliveries } from '../../run-tasks/pages/stored-deliveries.ts';
import { Retention } from '../../run-tasks/retention.ts';
import { startRunTaskServer } from '../../run-tasks/server.ts';
import { migrate } from '../../run-tasks/store/migrate.ts';
import { openDatabase } from '../../run-tasks/store/open-database.ts';
import { Queue } from '../../run-tasks/store/queue.ts';
import { openEngine } from '../engines.ts';
import { openPlatform } from './open-platform.ts';
import { runTaskReview } from './review-run-task.ts';

export interface ServeArgs {
  /** Where `Pulumi.yaml` is, for endpoints with a stack. */
  directory: string;
  /** `DATABASE_URL`, and what reading a stack and its service takes. */
  env: NodeJS.ProcessEnv;
  /** Folder for local state: the store's, where there is no `DATABASE_URL`. */
  home: string;
  endpoints: readonly Endpoint[];
  /** 0 lets the system choose. */
  port: number;
  host: string;
  /** Origins that requests may lead to. Without any: all of the public internet. */
  allowedOrigins?: readonly string[];
  version: string;
  /** Takes lines of JSON. */
  logTo: { write(line: string): void };
}

export interface Served {
  address: string;
  /** Whether runs can be deployed, and there are pages: where `VAULT_ADDR` names the service that knows people. */
  isPlatform: boolean;
  /** Lets requests be answered and work finish for a while, hands the rest back, and ends. */
  close(): Promise<void>;
}

/**
 * Serves the run tasks until it is closed: the integrator always, platform and pages where `VAULT_ADDR` names the secrets
 * service that knows who asks. `GATEHOUSE_PLATFORM_ADDRESS` is where others reach it, if that is not where it listens.
 *
 * @throws GatehouseError `port_in_use`, `address_invalid`, `database_unreachable`, `database_locked`,
 *   `database_unusable`, and what `openPlatform` throws
 */
export async function serve({
  directory,
  env,
  home,
  endpoints,
  port,
  host,
  allowedOrigins,
  version,
  logTo,
}: ServeArgs): Promise<Served> {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, logTo);
  const metrics = new Metrics();
  const given = env['GATEHOUSE_PLATFORM_ADDRESS'];
  let address = given ? platformAddress(given) : '';
  const isPlatform = Boolean(env['VAULT_ADDR']);
  /** Where the server listens, and where others reach it. */
  let own: string[] = [];
  const database = await openDatabase(env['DATABASE_URL'], home);
  /** What ends again, the last one first. */
  const begun: { stop(): unknown }[] = [{ stop: () => database.close() }];
  const stopWork = async () => {
    for (const one of begun.toReversed()) await one.stop();
  };
  try {
    await migrate(database);
    const queue = new Queue(database, (error) => log.error({ err: error }, 'the queue'));
    const outbound = new Outbound({
      allowedOrigins,
      ownOrigins: () => (isPlatform ? own : []),
    });
    const integrator = new Integrator({
      ...{ database, queue, outbound, endpoints, log, metrics },
      review: runTaskReview(directory, env),
      userAgent: `gatehouse/${version} (run task integrator)`,
    });
    const platform = isPlatform
      ? openPlatform({
          ...{ directory, env, openEngine, database, queue, outbound, version, log, metrics },
          address: () => address,
        })
      : undefined;
    const pages = platform && [
      ...platform.routes,
      ...pageRoutes({
        runs: platformRuns(platform.platform),
        deliveries: storedDeliveries(database, integrator),
        whoami: (token) => platform.callers.of(token),
        secure: address.startsWith('https:'),
      }),
    ];
    const retention = new Retention({ database, log });
    begun.push(queue, retention, { stop: () => platform?.close() }, integrator);
    await queue.start();
    await integrator.start();
    const server = await startRunTaskServer({
      ...{ port, host, metrics, log },
      routes: [...integratorRoutes(integrator), ...(pages ?? [])],
      checkReady: () => database.query('SELECT 1'),
    });
    if (address === '') address = server.address;
    own = [server.address, address].map((url) => new URL(url).origin);
    await platform?.platform.start();
    retention.start();
    log.info({ address: server.address }, 'serving');
    return {
      address: server.address,
      isPlatform,
      async close() {
        // First, as it sends away who watches a run: the server waits for them.
        await platform?.close();
        await server.close();
        await stopWork();
      },
    };
  } catch (error) {
    await stopWork();
    throw error;
  }
}
