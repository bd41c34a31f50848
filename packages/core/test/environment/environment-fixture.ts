import { exampleProvider } from '../../../../test/docs/kind-section.ts';
import { type Environment, parseEnvironment } from '../../src/environment/environment.ts';
import { kindNamed, type ProviderKind, secretsOf } from '../../src/graph/kinds/kinds.ts';
import { GatehouseError } from '../../src/graph/values/errors.ts';
import { ruleIds } from '../../src/review/rules/rules.ts';

/** The least that each kind needs beside its kind and name. */
const least: Partial<Record<ProviderKind, Record<string, unknown>>> = {
  cloud_directory: { tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f', clientId: 'client' },
  hosted_identity_platform: { domain: 'example.eu.auth0.com', clientId: 'client' },
  access_management_suite: {
    authority: 'https://am.example.com/am',
    clientId: 'client',
    scopes: ['profile', 'mail'],
  },
  source_hosting: { clientId: 'client' },
  workspace_suite: { clientId: 'client' },
  open_source_identity_server: { authority: 'https://id.example.com', realm: 'main', clientId: 'client' },
  enterprise_identity_provider: { authority: 'https://example.okta.com', clientId: 'client' },
  container_orchestrator: { issuer: 'https://oidc.cluster.example.com' },
};

/** The kinds of docs/inside/specification.md B-2. */
export const specifiedKinds = Object.keys(least) as ProviderKind[];

/** The provider in a kind's example of docs/providers.md, with its first role alone. */
export function exampleOf(kind: ProviderKind): Record<string, unknown> {
  const { name: _, groups: _groups, roles, ...own } = exampleProvider(kind);
  return { ...own, roles: [{ ...(roles as object[])[0], name: 'reader' }] };
}

/** The least that a role of each kind needs. */
const leastRole = (kind: ProviderKind): Record<string, unknown> => ({
  name: 'reader',
  ...(kind === 'container_orchestrator' ? { namespace: 'shop', serviceAccount: 'web' } : {}),
});

/** A provider as it stands in the YAML, with one role: of the least, or else of its kind's example. */
export function givenProvider(
  kind: ProviderKind,
  settings: Record<string, unknown> = {},
): Record<string, unknown> {
  const given = least[kind] === undefined ? exampleOf(kind) : { roles: [leastRole(kind)], ...least[kind] };
  return { kind, name: 'it', ...given, ...settings };
}

/** A message as it stands in the YAML. */
export const givenMessage = (fields: Record<string, unknown> = {}) => ({
  title: 'Maintenance',
  message: 'Saturday',
  startTime: '2026-12-01T00:00:00Z',
  ...fields,
});

/** An environment of the given providers, each of which has the client secret it needs. */
export function givenEnvironment(
  providers: Record<string, unknown>[],
  keys: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    service: { address: 'https://secrets.example.com:8200' },
    providers,
    clientSecrets: providers
      .filter((one) => secretsOf(kindNamed(one['kind']) ?? 'oidc', one).includes('clientSecrets'))
      .map(({ name }) => name),
    ...keys,
  };
}

/** The problems of an environment, one a line, as they are printed; empty when there are none. */
export function problemsOf(given: Record<string, unknown>): string[] {
  try {
    parseEnvironment(given, { ruleIds });
    return [];
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'environment_invalid') throw error;
    return (error.parts.fix ?? '').split('\n  ');
  }
}

/** The problems of one provider, each at its path below it. */
export function problemsOfProvider(kind: ProviderKind, settings: Record<string, unknown> = {}): string[] {
  const problems = problemsOf(givenEnvironment([givenProvider(kind, settings)]));
  return problems.map((problem) => problem.replace('gatehouse:providers[0].', ''));
}

/** One provider, parsed. */
export function parsedProvider<Kind extends ProviderKind>(
  kind: Kind,
  settings: Record<string, unknown> = {},
): Environment['providers'][number] & { kind: Kind } {
  const [provider] = parseEnvironment(givenEnvironment([givenProvider(kind, settings)])).providers;
  return provider as Environment['providers'][number] & { kind: Kind };
}
