import { type Integrator, integratorRoutes } from '../integrator/integrator.ts';
import { type PageRoutesArgs, pageRoutes } from '../pages/page-routes.ts';
import { platformRuns } from '../pages/platform-runs.ts';
import { storedDeliveries } from '../pages/stored-deliveries.ts';
import type { Callers } from '../platform/callers.ts';
import type { Platform } from '../platform/platform.ts';
import { protocolRoutes } from '../platform/protocol-routes.ts';
import { runsApi } from '../platform/runs-api.ts';
import type { Route } from '../route.ts';
import type { Database } from '../store/database.ts';

interface GateRoutesArgs extends Omit<PageRoutesArgs, 'runs' | 'deliveries' | 'whoami'> {
  integrator: Integrator;
  platform: Platform;
  database: Database;
  callers: Callers;
}

/** All routes of a gate: those of integrators and platforms, the API of runs, and the pages. */
export function gateRoutes({ integrator, platform, database, callers, ...pages }: GateRoutesArgs): Route[] {
  return [
    ...integratorRoutes(integrator),
    ...protocolRoutes(platform),
    ...runsApi(platform, callers),
    ...pageRoutes({
      ...pages,
      runs: platformRuns(platform),
      deliveries: storedDeliveries(database, integrator),
      whoami: (token, options) => callers.of(token, options),
    }),
  ];
}
