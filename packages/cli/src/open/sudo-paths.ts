import type { ServiceSettings } from '@gatehouse/core/environment';
import { openPathsIn, type ServiceGraph, sudoPathsIn } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { openNamespaceClient } from './open-client.ts';

/** Which paths need `sudo`, and which need no token, as a service's own OpenAPI document marks them. */
interface Guards {
  sudo?: ServiceGraph['sudo'];
  tokenless?: ReturnType<typeof openPathsIn>;
}

/** Which paths need `sudo` on a service. */
export async function readSudoPaths(
  service: ServiceSettings,
  env: NodeJS.ProcessEnv,
): Promise<ServiceGraph['sudo']> {
  return (await readGuards(service, env)).sudo;
}

/**
 * Which paths need `sudo`, and which need no token. Empty where the document cannot be read: then the built-in lists count.
 */
export async function readGuards(service: ServiceSettings, env: NodeJS.ProcessEnv): Promise<Guards> {
  const client = openNamespaceClient(service, env);
  try {
    const document = await client.read('sys/internal/specs/openapi');
    return { sudo: sudoPathsIn(document?.data), tokenless: openPathsIn(document?.data) };
  } catch (error) {
    if (error instanceof GatehouseError) return {};
    throw error;
  } finally {
    client.close();
  }
}
