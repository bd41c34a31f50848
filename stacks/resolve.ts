import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../core/model/environment.ts';
import { resolveEnvironment } from '../core/model/resolve.ts';

/**
 * Reads what lies outside an environment's configuration.
 *
 * @param directory Folder of Pulumi.yaml, below which policy files lie.
 * @throws GatehouseError `policy_file_unreadable`, `issuer_unreadable`, `jwk_invalid`.
 */
export function resolve(environment: Environment, directory: string): Promise<Environment> {
  return resolveEnvironment(environment, {
    readFile: (path) => readFile(join(directory, path), 'utf8'),
    // Few environments name a cluster by its address; the others do not load the client.
    readIssuer: async (...cluster) => (await import('../client/discovery.ts')).readIssuer(...cluster),
  });
}
