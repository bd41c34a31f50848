import type { Route } from '../route.ts';
import type { Integrator } from './integrator.ts';

/** Where run tasks are sent to. */
export function integratorRoutes(integrator: Integrator): Route[] {
  return [
    {
      method: 'POST',
      path: '/integrator/:endpoint',
      async answer({ params, headers, body }) {
        const { status, errors } = await integrator.receive(params['endpoint'] ?? '', headers, body);
        if (errors === undefined) return { status };
        return {
          status,
          headers: { 'content-type': 'application/vnd.api+json' },
          body: JSON.stringify({ errors }),
        };
      },
    },
  ];
}
