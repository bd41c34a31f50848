import { expiringProblems } from '../graph/policies/expiring.ts';
import { policyProblems } from '../graph/policies/policy-problems.ts';
import { type JwksDocument, jwksFrom, publicKeysFromJwks } from '../graph/public-keys.ts';
import { type ErrorParts, GatehouseError } from '../graph/values/errors.ts';
import { yamlPath } from '../graph/values/problem.ts';
import { leadsOutside } from '../graph/values/project-path.ts';
import type { Environment, Provider } from './environment.ts';
import { invalidEnvironment } from './invalid-environment.ts';

/** Reads what an environment's configuration refers to. */
interface Outside {
  /** A file, by its path from the folder of Pulumi.yaml. */
  readFile(path: string): Promise<string>;
  /** The issuer that a cluster names in its well-known document. */
  readIssuer(apiServer: string, caPem?: string): Promise<string>;
  readClusterKeys(apiServer: string, caPem?: string): Promise<JwksDocument>;
  /** Where a part of the environment is written, in words. Defaults to its path in the YAML. */
  where?: (path: PropertyKey[]) => string;
}

/** References of a provider to something outside, which are replaced. */
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

const policyFile = {
  unreadable: 'policy_file_unreadable',
  outside: 'policy_file_unreadable.outside',
} as const;
const jwksFile = {
  unreadable: 'jwks_file_unreadable',
  outside: 'jwks_file_unreadable.outside',
} as const;

/** Whether a provider has no references left to read. */
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
  const [texts, providers] = await Promise.all([
    Promise.all(environment.policies.map((policy, index) => readPolicyFile(policy, index, outside))),
    Promise.all(environment.providers.map((provider) => resolveProvider(provider, outside))),
  ]);
  const problems = texts.flatMap((text, index) => problemsIn(text, environment, index, outside));
  if (problems.length > 0) throw invalidEnvironment(problems);
  const policies = environment.policies.map(({ file: _, ...policy }, index) => {
    const text = texts[index];
    return text === undefined ? policy : { ...policy, policy: text };
  });
  return { ...environment, policies, providers };
}

/** The text of a policy's file; undefined for a policy without one. */
async function readPolicyFile(
  { file }: Environment['policies'][number],
  index: number,
  outside: Outside,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { where = yamlPath } = outside;
  return readBelow(policyFile, file, outside, () => ({
    where: where(['policies', index, 'file']),
    allowed: 'a .hcl file below the folder of Pulumi.yaml',
  }));
}

/** Problems in the text of a policy's file, each with its place. */
function problemsIn(
  text: string | undefined,
  { policies }: Environment,
  index: number,
  { where = yamlPath }: Outside,
): string[] {
  const { file, until = {} } = policies[index] ?? {};
  if (text === undefined) return [];
  const at = ['policies', index];
  return [
    ...policyProblems(text, 'any').map(({ message }) => `${file}: ${message} (${where([...at, 'file'])})`),
    ...expiringProblems(text, Object.keys(until)).map(
      ({ pattern, message }) => `${where([...at, 'until', pattern])}: ${message}`,
    ),
  ];
}

async function resolveProvider(provider: Provider, outside: Outside): Promise<Provider> {
  if (isResolved(provider)) return provider;
  const { jwks, jwksFile, apiServer, keysFromCluster, ...rest } = provider as typeof provider & References;
  const { caPem, issuer } = rest;
  const readsIssuer = apiServer !== undefined && issuer === undefined;
  const read = readsIssuer && { issuer: await outside.readIssuer(apiServer, caPem) };
  let document = jwks;
  if (jwksFile !== undefined) document = await readJwksFile(rest.name, jwksFile, outside);
  if (apiServer !== undefined && keysFromCluster) document = await outside.readClusterKeys(apiServer, caPem);
  return {
    ...rest,
    ...read,
    ...(document !== undefined && { publicKeys: await publicKeysFromJwks(document) }),
  } as Provider;
}

async function readJwksFile(provider: string, file: string, outside: Outside): Promise<JwksDocument> {
  const about = {
    where: `provider ${JSON.stringify(provider)}, jwksFile`,
    allowed: 'a JWKS document below the folder of Pulumi.yaml',
  };
  const document = jwksFrom(await readBelow(jwksFile, file, outside, () => about));
  if (document !== undefined) return document;
  throw new GatehouseError('jwks_file_unreadable.content', { ...about, given: file });
}

async function readBelow(
  texts: typeof policyFile | typeof jwksFile,
  file: string,
  { readFile }: Outside,
  about: () => Pick<ErrorParts, 'where' | 'allowed'>,
): Promise<string> {
  if (leadsOutside(file)) {
    throw new GatehouseError(texts.outside, { ...about(), given: file });
  }
  try {
    return await readFile(file);
  } catch (cause) {
    throw new GatehouseError(texts.unreadable, { ...about(), given: file, cause });
  }
}
