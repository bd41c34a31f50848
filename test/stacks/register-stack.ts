import { isSecretKey } from '../../packages/core/src/graph/values/secret-keys.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import {
  buildEnvironment,
  type EnvironmentOptions,
  type EnvironmentOutputs,
} from '../../stacks/environment.ts';
import { type Registration, register } from '../harness/pulumi-mocks.ts';

export const root = new URL('../../', import.meta.url).pathname;

export interface RegisteredStack {
  registered: Registration[];
  outputs: EnvironmentOutputs;
}

/**
 * Runs the program with the configuration of one of the project's own stacks, against Pulumi mocks.
 *
 * @param change Full key → value that stands instead of the stack's own.
 */
export async function registerStack(
  name: string,
  passphrase: string,
  change: Record<string, unknown> = {},
): Promise<RegisteredStack> {
  const stack = await readStack(root, name, { PULUMI_CONFIG_PASSPHRASE: passphrase });
  const config = Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...stack.config].filter(([, { secret }]) => secret).map(([key]) => key);
  for (const [key, value] of Object.entries(change)) config[key] = JSON.stringify(value);
  return await registerConfig(config, secretKeys);
}

/**
 * Runs the program with a configuration, against Pulumi mocks.
 *
 * @param secretKeys Full keys of the values that are encrypted. Default to those of all secrets.
 */
export async function registerConfig(
  config: Record<string, string>,
  secretKeys = Object.keys(config).filter((key) => isSecretKey(key.slice('gatehouse:'.length))),
  options: () => EnvironmentOptions = () => ({}),
): Promise<RegisteredStack> {
  let outputs: EnvironmentOutputs | undefined;
  const registered = await register(
    async () => {
      outputs = await buildEnvironment(root, options());
    },
    { config, secretKeys },
  );
  if (outputs === undefined) throw new Error('the program built nothing');
  return { registered, outputs };
}
