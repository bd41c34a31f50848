import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../core/model/environment.ts';
import { resolveEnvironment } from '../core/model/resolve.ts';

/**
 * Reads what an environment's configuration refers to: files and issuers.
 *
 * @param directory Folder of Pulumi.yaml, which holds the policy files.
 * @param locate says where a part of the configuration is. Defaults to nowhere.
 * @throws GatehouseError what `resolveEnvironment` throws, `issuer_unreadable`, `cluster_keys_unreadable`.
 */
export function resolve(
  environment: Environment,
  directory: string,
  locate?: (path: PropertyKey[]) => string | undefined,
): Promise<Environment> {
  return resolveEnvironment(environment, {
    ...(locate && { locate }),
    readFile: (path) => readFile(join(directory, path), 'utf8'),
    // Few environments name a cluster by its address; the others do not load the client.
    readIssuer: async (...cluster) => (await import('../client/discovery.ts')).readIssuer(...cluster),
    readClusterKeys: async (...cluster) =>
      (await import('../client/discovery.ts')).readClusterKeys(...cluster),
  });
}
