import type { JWK } from 'jose';
import type { Environment } from './environment.ts';
import { publicKeysFromJwks } from './public-keys.ts';
import { GatehouseError } from './values/errors.ts';
import { leadsOutside } from './values/project-path.ts';

/** Reads what an environment's configuration refers to. */
export interface Outside {
  /** A file, by its path from the folder of Pulumi.yaml. */
  readFile(path: string): Promise<string>;
  /** The issuer that a cluster names in its well-known document. */
  readIssuer(apiServer: string, caPem?: string): Promise<string>;
}

/**
 * Replaces references in an environment's configuration: reads policy files, reads a cluster's issuer from its
 * well-known document, and converts JWKS keys to PEM.
 *
 * @throws GatehouseError `policy_file_unreadable`, `jwk_invalid`, and what `readIssuer` throws.
 */
export async function resolveEnvironment(environment: Environment, outside: Outside): Promise<Environment> {
  const [policies, providers] = await Promise.all([
    Promise.all(environment.policies.map((policy, index) => resolvePolicy(policy, index, outside))),
    Promise.all(environment.providers.map((provider) => resolveProvider(provider, outside))),
  ]);
  return { ...environment, policies, providers };
}

async function resolvePolicy(
  { name, policy, file }: Environment['policies'][number],
  index: number,
  { readFile }: Outside,
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
  if (leadsOutside(file)) throw fail('policy file is outside the project');
  try {
    return { name, policy: await readFile(file) };
  } catch (cause) {
    throw fail('cannot read policy file', cause);
  }
}

async function resolveProvider(
  provider: Environment['providers'][number],
  { readIssuer }: Outside,
): Promise<Environment['providers'][number]> {
  if (!('jwks' in provider || 'apiServer' in provider)) return provider;
  const { jwks, apiServer, ...rest } = provider as typeof provider & { apiServer?: string };
  return {
    ...rest,
    ...(jwks === undefined ? {} : { publicKeys: await publicKeysFromJwks(jwks as { keys: JWK[] }) }),
    ...(apiServer === undefined || provider.issuer !== undefined
      ? {}
      : { issuer: await readIssuer(apiServer, provider.caPem) }),
  };
}
