import { GatehouseError, isSecretKey, objectIn } from '@gatehouse/core/values';
import { readPassphrase, type Stack } from '@gatehouse/engine';
import { listStacks, readSealedStack, readStack } from '@gatehouse/engine/stack-files';

/**
 * Reads the stack of a command, as `readDeclaring` does.
 *
 * @param name of `--stack`; defaults to `PULUMI_STACK`
 * @throws GatehouseError `stack_not_chosen`, which lists the stacks, and what `readDeclaring` throws
 */
export async function openStack(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  return readDeclaring(directory, await chooseStack(directory, name, env), env);
}

/**
 * Reads what a stack declares. Secrets stay encrypted, so it needs no passphrase and no secrets provider, unless what is
 * declared cannot be read without them: values of Pulumi ESC environments, and encrypted values that are more than a secret.
 *
 * @param sealed what `readSealedStack` has read of it already
 * @throws GatehouseError what `readSealedStack` and `unsealed` throw
 */
export async function readDeclaring(
  directory: string,
  name: string,
  env: NodeJS.ProcessEnv,
  sealed?: Stack,
): Promise<Stack> {
  const stack = sealed ?? (await readSealedStack(directory, name, env));
  return stack.importsAt !== undefined || hidesMore(stack) ? unsealed(stack, env) : stack;
}

/** Whether something other than a secret below its own name is encrypted. */
function hidesMore({ config }: Stack): boolean {
  return [...config].some(([key, { value, secret }]) => {
    const [namespace, name = ''] = key.split(':');
    return namespace === 'gatehouse' && secret && !(isSecretKey(name) && objectIn(value));
  });
}

/**
 * A stack with its secrets: decrypted with the passphrase, or by the user's Pulumi CLI where only that can.
 *
 * @throws GatehouseError what `readStack` and `readPulumiConfig` throw
 */
export async function unsealed(stack: Stack, env: NodeJS.ProcessEnv): Promise<Stack> {
  const isForCli = stack.importsAt !== undefined || (stack.isSealed && stack.secretsProvider !== undefined);
  if (!isForCli) return stack.isSealed ? readStack(stack.directory, stack.name, env) : stack;
  const { readPulumiConfig } = await import('@gatehouse/engine/pulumi');
  const { isSealed: _, ...rest } = stack;
  return { ...rest, config: withClear(await readPulumiConfig(stack, env), stack) };
}

/** The CLI only says whether some part of a value is a secret. Which parts are in clear is read from the stack file. */
function withClear(config: Stack['config'], { config: written }: Stack): Stack['config'] {
  return new Map(
    [...config].map(([key, value]) => {
      const { secret, value: before, clear = [] } = written.get(key) ?? { secret: true, value: '' };
      const names = secret ? clear : Object.keys(objectIn(before) ?? {});
      return [key, names.length > 0 ? { ...value, clear: names } : value];
    }),
  );
}

/**
 * A stack to compare. Its secrets are decrypted where a passphrase allows it, so that a secret that is only encrypted anew counts
 * as unchanged.
 */
export async function forComparison(stack: Stack, env: NodeJS.ProcessEnv): Promise<Stack> {
  const canDecrypt = stack.secretsProvider === undefined && (await readPassphrase(env)) !== undefined;
  return stack.isSealed && canDecrypt ? unsealed(stack, env) : stack;
}

/** The name of a command's stack. @throws GatehouseError `stack_not_chosen`, `option_conflict` for a pattern */
export async function chooseStack(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const chosen = name || env['PULUMI_STACK'];
  if (chosen?.includes('*')) {
    throw new GatehouseError('option_conflict.pattern', { given: chosen });
  }
  if (chosen) return chosen;
  const known = await listStacks(directory);
  if (known.length === 0) throw new GatehouseError('stack_not_chosen.none');
  throw new GatehouseError('stack_not_chosen', { allowed: known.join(', ') });
}
