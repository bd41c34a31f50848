import type { Stack } from '../engine/stack.ts';
import { checkService } from './check-service.ts';
import { openEnvironment } from './open-environment.ts';

/**
 * Checks, before anything is planned, that the stack's configuration holds together and that the service can
 * take it. A stack of another program is left to that program.
 *
 * @throws GatehouseError what `openEnvironment` and `checkService` throw
 */
export async function checkReady(stack: Stack, env: NodeJS.ProcessEnv): Promise<void> {
  const environment = openEnvironment(stack, env);
  if (environment !== undefined) await checkService(environment, env);
}
