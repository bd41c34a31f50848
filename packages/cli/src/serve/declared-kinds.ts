import { type ProviderKind, trimmed } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { listStacks, readSealedStack } from '@gatehouse/engine/stack-files';
import { openEnvironment } from '../open/open-environment.ts';

/**
 * The kinds of the providers that a project's stacks declare for the service and namespace of `VAULT_ADDR` and
 * `VAULT_NAMESPACE`, by the path of their auth method: a service does not tell them to people who are not signed in. Nothing
 * is decrypted, and a stack that cannot be read declares none.
 *
 * @param directory the folder of `Pulumi.yaml`
 */
export async function declaredKinds(
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, ProviderKind>> {
  const servicePlace = placeOf(env['VAULT_ADDR'] ?? '', env['VAULT_NAMESPACE']);
  const names = await listStacks(directory).catch(noneOf);
  const declared = await Promise.all(
    names.map((name) => kindsOf(directory, name, env, servicePlace).catch(noneOf)),
  );
  return new Map(declared.flat());
}

async function kindsOf(directory: string, name: string, env: NodeJS.ProcessEnv, servicePlace: string) {
  const environment = openEnvironment(await readSealedStack(directory, name, env), env);
  if (environment === undefined) return [];
  const { address, namespace } = environment.service;
  if (placeOf(address, namespace) !== servicePlace) return [];
  return environment.providers.map(({ path, name: named, kind }) => [path ?? named, kind] as const);
}

function placeOf(address: string, namespace = ''): string {
  return JSON.stringify([URL.parse(address)?.origin ?? address, trimmed(namespace)]);
}

function noneOf(error: unknown): [] {
  if (error instanceof GatehouseError) return [];
  throw error;
}
