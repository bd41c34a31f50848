import { GatehouseError } from '../core/model/values/errors.ts';
import type { Stack } from '../engine/stack.ts';
import { listStacks, readStack } from '../engine/stack-files/read-stack.ts';

/**
 * Reads the stack of a command.
 *
 * @param name of `--stack`; defaults to `PULUMI_STACK`
 * @throws GatehouseError `stack_not_chosen`, which lists the stacks, and what `readStack` throws
 */
export async function openStack(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  return readStack(directory, await chooseStack(directory, name, env), env);
}

/** The name of a command's stack. @throws GatehouseError `stack_not_chosen` */
export async function chooseStack(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const chosen = name || env['PULUMI_STACK'];
  if (chosen) return chosen;
  const known = await listStacks(directory);
  throw new GatehouseError({
    code: 'stack_not_chosen',
    what: 'No stack was chosen.',
    allowed: known.join(', ') || undefined,
    fix:
      known.length > 0 ? 'Choose one with --stack or PULUMI_STACK.' : 'Create one with: gatehouse init NAME',
  });
}
