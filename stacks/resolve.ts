import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { Environment } from '../core/model/environment.ts';
import { GatehouseError } from '../core/model/errors.ts';
import { leadsOutside } from '../core/model/project-path.ts';
import { publicKeysFromJwks } from '../core/model/public-keys.ts';
import { readIssuer } from '../providers/read-issuer.ts';

/**
 * Puts in place what lies outside an environment's configuration: policy files are read, a cluster's issuer is
 * read from its well-known document, and JWKS keys are converted to PEM.
 *
 * @param directory Folder of Pulumi.yaml, below which policy files lie.
 * @throws GatehouseError `policy_file_unreadable`, `issuer_unreadable`, `jwk_invalid`.
 */
export async function resolve(environment: Environment, directory: string): Promise<Environment> {
  const [policies, providers] = await Promise.all([
    Promise.all(environment.policies.map((policy, index) => resolvePolicy(policy, index, directory))),
    Promise.all(environment.providers.map(resolveProvider)),
  ]);
  return { ...environment, policies, providers };
}

async function resolvePolicy(
  { name, policy, file }: Environment['policies'][number],
  index: number,
  directory: string,
): Promise<Environment['policies'][number]> {
  if (file === undefined) return { name, policy };
  const fail = (what: string, cause?: unknown) =>
    new GatehouseError({
      code: 'policy_file_unreadable',
      where: `gatehouse:policies[${index}].file`,
      what,
      given: file,
      allowed: 'a .hcl file below the folder of Pulumi.yaml',
      cause,
    });
  if (leadsOutside(file)) throw fail('this file is outside the project');
  try {
    return { name, policy: await readFile(join(directory, file), 'utf8') };
  } catch (cause) {
    throw fail('this policy file cannot be read', cause);
  }
}

async function resolveProvider(
  provider: Environment['providers'][number],
): Promise<Environment['providers'][number]> {
  if (provider.kind !== 'container_orchestrator') return provider;
  const { jwks, apiServer, ...rest } = provider;
  return {
    ...rest,
    ...(jwks === undefined ? {} : { publicKeys: await publicKeysFromJwks(jwks as { keys: JWK[] }) }),
    ...(apiServer === undefined || provider.issuer !== undefined
      ? {}
      : { issuer: await readIssuer(apiServer, provider.caPem) }),
  };
}
