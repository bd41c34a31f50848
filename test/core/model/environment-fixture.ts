import { type Environment, parseEnvironment } from '../../../core/model/environment.ts';
import type { ProviderKind } from '../../../core/model/kinds/kinds.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';

/** The least that each kind needs beside its kind and name. */
export const least: Record<ProviderKind, Record<string, unknown>> = {
  cloud_directory: { tenantId: '9188040d-6c67-4c5b-b112-36a304b66dad', clientId: 'client' },
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

/** The least that a role of each kind needs. */
export const leastRole = (kind: ProviderKind): Record<string, unknown> => ({
  name: 'reader',
  ...(kind === 'container_orchestrator' ? { namespace: 'shop', serviceAccount: 'web' } : {}),
});

/** A provider as it stands in the YAML, with one role. */
export function givenProvider(
  kind: ProviderKind,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { kind, name: 'it', roles: [leastRole(kind)], ...least[kind], ...more };
}

/** An environment of the given providers, each of which has the client secret it needs. */
export function givenEnvironment(
  providers: Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    service: { address: 'https://secrets.example.com:8200' },
    providers,
    clientSecrets: providers
      .filter(({ kind, application }) => kind !== 'container_orchestrator' && application === undefined)
      .map(({ name }) => name),
    ...more,
  };
}

/** The problems of an environment, one a line, as they are printed; empty when there are none. */
export function problemsOf(given: Record<string, unknown>): string[] {
  try {
    parseEnvironment(given);
    return [];
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'environment_invalid') throw error;
    return (error.parts.fix ?? '').split('\n  ');
  }
}

/** One provider, parsed. */
export function parsedProvider<Kind extends ProviderKind>(
  kind: Kind,
  more: Record<string, unknown> = {},
): Environment['providers'][number] & { kind: Kind } {
  const [provider] = parseEnvironment(givenEnvironment([givenProvider(kind, more)])).providers;
  return provider as Environment['providers'][number] & { kind: Kind };
}
