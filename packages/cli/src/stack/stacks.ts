import { GatehouseError, isObject } from '@gatehouse/core/values';
import {
  type Engine,
  openCrypter,
  propertiesFromJson,
  requirePassphrase,
  type Stack,
  secretsProviderUnsupported,
} from '@gatehouse/engine';
import { listStacks, readSealedStack } from '@gatehouse/engine/stack-files';
import { readLastChange, statePath } from '@gatehouse/engine/state';
import { type ShownValue, shownProperties, unmarked } from '../deployment/shown-value.ts';
import { serviceAddress } from '../open/engines.ts';

// For cli, which does not import engine (docs/inside/architecture.md).
export { createStackFile } from '@gatehouse/engine/stack-files';

/** A stack of a folder, as its files describe it. */
export interface ListedStack {
  name: string;
  /** Address of its secrets service. */
  address?: string;
  /** When the local engine last changed something by it: RFC 3339. */
  lastChange?: string;
  /** Why one of these could not be read. */
  problem?: string;
}

/** The stacks of a folder, by name. No secret is decrypted. @throws GatehouseError `project_missing` */
export async function describeStacks(directory: string, env: NodeJS.ProcessEnv): Promise<ListedStack[]> {
  const names = await listStacks(directory);
  return await Promise.all(names.map((name) => describeStack(directory, name, env)));
}

async function describeStack(directory: string, name: string, env: NodeJS.ProcessEnv): Promise<ListedStack> {
  const listed: ListedStack = { name };
  try {
    const stack = await readSealedStack(directory, name, env);
    listed.address = serviceAddress(stack, env);
    listed.lastChange = readLastChange(statePath(stack));
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    listed.problem = error.message.split('\n')[0] ?? '';
  }
  return listed;
}

/**
 * The outputs of a stack's last deployment, secrets as placeholders unless they are asked for.
 *
 * @throws GatehouseError `stack_not_applied`, and what the engine throws
 */
export async function stackOutputs(
  stack: Stack,
  engine: Engine,
  { env, showSecrets }: { env: NodeJS.ProcessEnv; showSecrets: boolean },
): Promise<Record<string, ShownValue>> {
  const { deployment } = (await engine.exportState(stack)) as {
    deployment?: { resources?: { type?: string; outputs?: unknown }[] };
  };
  const own = deployment?.resources?.find(({ type }) => type === 'pulumi:pulumi:Stack');
  if (own === undefined) {
    throw new GatehouseError('stack_not_applied', { given: stack.name, values: { stack: stack.name } });
  }
  const outputs = isObject(own.outputs) ? own.outputs : {};
  if (!showSecrets) return shownProperties(propertiesFromJson(outputs, () => '""'));
  // A value without secrets needs no passphrase.
  if (stack.secretsProvider !== undefined && JSON.stringify(outputs).includes('"ciphertext"')) {
    throw secretsProviderUnsupported(
      stack.secretsProvider,
      `pulumi stack output --show-secrets --stack ${stack.name}`,
    );
  }
  const crypter = JSON.stringify(outputs).includes('"ciphertext"')
    ? await openCrypter(await requirePassphrase(env), stack.encryptionSalt ?? '')
    : undefined;
  const properties = propertiesFromJson(outputs, (ciphertext) => crypter?.decrypt(ciphertext) ?? '');
  return shownProperties(
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, unmarked(value)])),
  );
}

/** @throws GatehouseError `output_unknown` */
export function outputNamed(outputs: Record<string, ShownValue>, name: string): ShownValue {
  const value = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  if (value !== undefined) return value;
  throw new GatehouseError('output_unknown', {
    given: name,
    allowed: Object.keys(outputs).join(', ') || undefined,
  });
}
