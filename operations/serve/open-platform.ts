import type { Log } from '../../run-tasks/log.ts';
import type { Metrics } from '../../run-tasks/metrics.ts';
import type { Outbound } from '../../run-tasks/outbound/outbound.ts';
import { Callers } from '../../run-tasks/platform/callers.ts';
import { Platform } from '../../run-tasks/platform/platform.ts';
import { protocolRoutes } from '../../run-tasks/platform/protocol-routes.ts';
import { runsApi } from '../../run-tasks/platform/runs-api.ts';
import type { Route } from '../../run-tasks/route.ts';
import type { Database } from '../../run-tasks/store/database.ts';
import type { Queue } from '../../run-tasks/store/queue.ts';
import type { EngineRequest, OpenEngine } from '../engines.ts';
import { openService } from '../open-client.ts';
import { platformWork } from './platform-work.ts';

export interface OpenPlatformArgs {
  /** The folder of `Pulumi.yaml`: its stacks can be deployed. */
  directory: string;
  /** `VAULT_ADDR` names the secrets service that knows the callers; the rest is for stacks and their service. */
  env: NodeJS.ProcessEnv;
  openEngine: OpenEngine;
  engine?: EngineRequest;
  /** With the tables of `migrations/0002-platform`. */
  database: Database;
  queue: Queue;
  /** Where the server answers; asked for once it listens. */
  address: () => string;
  /** Calls run tasks. */
  outbound: Outbound;
  /** Defaults to `gatehouse-deploy`. */
  actingPolicy?: string;
  version: string;
  log?: Log;
  metrics?: Metrics;
}

export interface OpenedPlatform {
  platform: Platform;
  callers: Callers;
  routes: Route[];
  /** Sends watchers away and ends what works by the clock: before the server is closed, and the queue. */
  close(): Promise<void>;
}

/**
 * A platform for a project, and what it answers. It is started by its `start` when the queue is, and the server listens.
 *
 * @throws GatehouseError `address_missing`, `address_invalid`, `ca_file_unreadable`
 */
export function openPlatform(args: OpenPlatformArgs): OpenedPlatform {
  const { directory, env, openEngine, engine, database, queue, outbound, address, version, log, metrics } =
    args;
  const service = openService({}, env);
  const callers = new Callers({
    clientOf: (token) => service.with({ token }),
    actingPolicy: args.actingPolicy,
  });
  const platform = new Platform({
    ...{ database, queue, outbound, address, version },
    log,
    metrics,
    work: platformWork({ directory, env, openEngine, engine }),
  });
  return {
    platform,
    callers,
    routes: [...protocolRoutes(platform), ...runsApi(platform, callers)],
    async close() {
      await platform.stop();
      service.close();
    },
  };
}
