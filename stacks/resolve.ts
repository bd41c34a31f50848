import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../core/model/environment.ts';
import { resolveEnvironment } from '../core/model/resolve.ts';

/**
 * Reads what an environment's configuration refers to: files and issuers.
 *
 * @param directory Folder of Pulumi.yaml, which holds the policy files.
 * @param where says where a part of the environment is written. Defaults to its path in the YAML.
 * @throws GatehouseError what `resolveEnvironment` throws, `issuer_unreadable`, `cluster_keys_unreadable`.
 */
export function resolve(
  environment: Environment,
  directory: string,
  where?: (path: PropertyKey[]) => string,
): Promise<Environment> {
  return resolveEnvironment(environment, {
    ...(where && { where }),
    readFile: (path) => readFile(join(directory, path), 'utf8'),
    // Few environments name a cluster by its address; the others do not load the client.
    readIssuer: async (...cluster) => (await import('../client/discovery.ts')).readIssuer(...cluster),
    readClusterKeys: async (...cluster) =>
      (await import('../client/discovery.ts')).readClusterKeys(...cluster),
  });
}
