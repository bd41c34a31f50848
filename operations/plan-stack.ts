import { GatehouseError } from '../core/model/values/errors.ts';
import type { DeploymentResult, Engine } from '../engine/engine.ts';
import type { Stack } from '../engine/stack.ts';
import { checkReady } from './check-ready.ts';
import { preview } from './preview.ts';

/**
 * Plans a stack.
 *
 * @throws GatehouseError `plan_failed`, and what `checkReady` and the engine throw
 */
export async function planStack(
  stack: Stack,
  engine: Engine,
  env: NodeJS.ProcessEnv,
): Promise<DeploymentResult> {
  await checkReady(stack, env);
  const { deployment } = await preview({ stack, refresh: false, targets: [] }, engine, { onEvent: () => {} });
  if (deployment.succeeded) return deployment;
  const errors = deployment.diagnostics.filter(({ severity }) => severity === 'error');
  throw new GatehouseError({
    code: 'plan_failed',
    what: 'the stack could not be planned, so there is nothing to review',
    ...(errors.length === 0 ? {} : { fix: errors.map(({ message }) => message.trim()).join('\n  ') }),
  });
}
