import { expect, test } from '@jest/globals';
import { type Integrator, integratorRoutes } from '../src/integrator/integrator.ts';
import type { Callers } from '../src/platform/callers.ts';
import type { Platform } from '../src/platform/platform.ts';
import { protocolRoutes } from '../src/platform/protocol-routes.ts';
import { runsApi } from '../src/platform/runs-api.ts';
import { startRunTaskServer } from '../src/server.ts';

test('every route of platform and integrator has its operation, with an id of its own', async () => {
  const [platform, callers] = [{} as Platform, {} as Callers];
  const routes = [
    ...integratorRoutes({} as Integrator),
    ...protocolRoutes(platform),
    ...runsApi(platform, callers),
  ];
  const server = await startRunTaskServer({ routes, checkReady: async () => {} });
  const document = (await (await fetch(`${server.address}/openapi.json`)).json()) as any;
  await server.close();
  const operations = Object.entries<object>(document.paths).flatMap(([path, all]) =>
    Object.entries<any>(all).map(([method, { operationId }]) => ({
      id: operationId,
      route: `${method.toUpperCase()} ${path}`,
    })),
  );
  const expected = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const own = ['/health', '/ready', '/metrics', '/openapi.json'].map((path) => `GET ${path}`);
  expect(operations.map(({ route }) => route).sort()).toEqual([...expected, ...own].sort());
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});
