import { expect, test } from '@jest/globals';
import { type Integrator, integratorRoutes } from '../../run-tasks/integrator/integrator.ts';
import { withOpenApi } from '../../run-tasks/openapi.ts';
import type { Callers } from '../../run-tasks/platform/callers.ts';
import type { Platform } from '../../run-tasks/platform/platform.ts';
import { protocolRoutes } from '../../run-tasks/platform/protocol-routes.ts';
import { readingRoutes } from '../../run-tasks/platform/reading-routes.ts';
import { runsApi } from '../../run-tasks/platform/runs-api.ts';

test('every route of platform and integrator has its operation, with an id of its own', async () => {
  const [platform, callers] = [{} as Platform, {} as Callers];
  const routes = [
    ...integratorRoutes({} as Integrator),
    ...protocolRoutes(platform),
    ...readingRoutes(platform, callers),
    ...runsApi(platform, callers),
  ];
  const document = withOpenApi(routes, '1.2.3').at(-1);
  const { body } = (await document?.answer({} as never)) as { body: string };
  const operations = Object.entries<object>(JSON.parse(body).paths).flatMap(
    ([path, { parameters, ...all }]: any) =>
      Object.entries<any>(all).map(([method, { operationId }]) => ({
        id: operationId,
        route: `${method} ${path}`,
      })),
  );
  const expected = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(
    operations.map(({ route }) => route.replace(/^\w+/, (method) => method.toUpperCase())).sort(),
  ).toEqual([...expected, 'GET /openapi.json'].sort());
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});
