import { GatehouseError } from '../core/model/values/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { Stack } from '../engine/stack.ts';
import { listStacks, readStack } from '../engine/stack-files/read-stack.ts';

/**
 * Reads the stack that a command is about.
 *
 * @param name what `--stack` says; without it `PULUMI_STACK` is taken
 * @throws GatehouseError `stack_not_chosen`, with the stacks there are, and what `readStack` throws
 */
export async function openStack(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  const chosen = name || env['PULUMI_STACK'];
  if (chosen) return readStack(directory, chosen, env);
  const known = await listStacks(directory);
  throw new GatehouseError({
    code: 'stack_not_chosen',
    what: 'No stack was chosen.',
    ...(known.length > 0 ? { allowed: known.join(', ') } : {}),
    fix:
      known.length > 0 ? 'Choose one with --stack or PULUMI_STACK.' : 'Create one with: gatehouse init NAME',
  });
}

/** The stack's state as a Pulumi deployment, version 3, secrets encrypted: what `pulumi stack import` takes. */
export function exportState(stack: Stack, engine: Engine): Promise<unknown> {
  return engine.exportState(stack);
}
