import type { Service } from '@gatehouse/core/environment';
import { type ServiceGraph, sudoPathsIn } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { openNamespaceClient } from './open-client.ts';

/**
 * Which paths need `sudo` on a service, as its own OpenAPI document marks them. Undefined where it cannot be read: what is known
 * of servers counts then.
 */
export async function readSudoPaths(service: Service, env: NodeJS.ProcessEnv): Promise<ServiceGraph['sudo']> {
  const client = openNamespaceClient(service, env);
  try {
    const document = await client.read('sys/internal/specs/openapi');
    return sudoPathsIn(document?.data);
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}
