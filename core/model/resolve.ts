import type { Environment } from './environment.ts';
import { type JwksDocument, jwksFrom, publicKeysFromJwks } from './public-keys.ts';
import { GatehouseError } from './values/errors.ts';
import { leadsOutside } from './values/project-path.ts';

/** Reads what an environment's configuration refers to. */
export interface Outside {
  /** A file, by its path from the folder of Pulumi.yaml. */
  readFile(path: string): Promise<string>;
  /** The issuer that a cluster names in its well-known document. */
  readIssuer(apiServer: string, caPem?: string): Promise<string>;
  /** The public keys of a cluster. */
  readClusterKeys(apiServer: string, caPem?: string): Promise<JwksDocument>;
}

type Provider = Environment['providers'][number];

/** What of a provider refers to something outside, and is replaced. */
interface References {
  jwks?: JwksDocument;
  jwksFile?: string;
  apiServer?: string;
  keysFromCluster?: boolean;
  issuer?: string;
  caPem?: string;
}
const references = [
  'jwks',
  'jwksFile',
  'apiServer',
  'keysFromCluster',
] as const satisfies (keyof References)[];

/** Whether nothing of a provider is still to be read. */
export function isResolved(provider: Provider): boolean {
  return references.every((name) => !(name in provider));
}

/**
 * Replaces references in an environment's configuration: reads policy files and JWKS documents, reads a cluster's issuer
 * and keys, and converts keys to PEM.
 *
 * @throws GatehouseError `policy_file_unreadable`, `jwks_file_unreadable`, `jwk_invalid`, and what the readers throw.
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

async function resolveProvider(provider: Provider, outside: Outside): Promise<Provider> {
  if (isResolved(provider)) return provider;
  const { jwks, jwksFile, apiServer, keysFromCluster, ...rest } = provider as typeof provider & References;
  const { caPem, issuer } = rest;
  const readsIssuer = apiServer !== undefined && issuer === undefined;
  const read = readsIssuer ? { issuer: await outside.readIssuer(apiServer, caPem) } : {};
  let document = jwks;
  if (jwksFile !== undefined) document = await readJwksFile(rest.name, jwksFile, outside);
  if (apiServer !== undefined && keysFromCluster) document = await outside.readClusterKeys(apiServer, caPem);
  return {
    ...rest,
    ...read,
    ...(document === undefined ? {} : { publicKeys: await publicKeysFromJwks(document) }),
  } as Provider;
}

async function readJwksFile(provider: string, file: string, { readFile }: Outside): Promise<JwksDocument> {
  const fail = (what: string, cause?: unknown) =>
    new GatehouseError({
      code: 'jwks_file_unreadable',
      where: `provider ${JSON.stringify(provider)}, jwksFile`,
      what,
      given: file,
      allowed: 'a JWKS document below the folder of Pulumi.yaml',
      fix: 'write it with: kubectl get --raw /openid/v1/jwks',
      cause,
    });
  if (leadsOutside(file)) throw fail('JWKS file is outside the project');
  const text = await readFile(file).catch((cause) => {
    throw fail('cannot read JWKS file', cause);
  });
  const document = jwksFrom(text);
  if (document === undefined) throw fail('this file holds no JWKS document');
  return document;
}
