import { byNamespace, declare } from '@gatehouse/core/environment';
import type { ProviderKind } from '@gatehouse/core/graph';
import type { Stack } from '@gatehouse/engine';
import type { Client } from '@gatehouse/secrets-service';
import { type Declared, requireEnvironment, stackSecrets } from '../open/open-environment.ts';

/** What a stack declares for its own namespace, without policies: their files need not be read here. */
export function declaredBy(stack: Stack, env: NodeJS.ProcessEnv): Declared {
  const environment = requireEnvironment(stack, env);
  return { environment, graph: declare({ ...environment, policies: [] }) };
}

/** The identity provider's clients: each auth method of the environment, in all its namespaces, with its redirect URIs. */
export function clientsOf({ environment }: Declared, stack: Stack): Partial<Record<ProviderKind, Client[]>> {
  const secrets = stackSecrets(stack, 'clientSecrets');
  const clients: Partial<Record<ProviderKind, Client[]>> = {};
  const providers = byNamespace({ ...environment, policies: [] }).flatMap((namespace) => {
    const graph = declare(namespace.environment);
    return namespace.environment.providers.map((provider) => ({ provider, graph }));
  });
  for (const { provider, graph } of providers) {
    const { methods, roles } = graph;
    const path = provider.path ?? provider.name;
    const clientId = methods.find((method) => method.path === path)?.config.oidcClientId;
    if (clientId === undefined) continue;
    const uris = roles
      .filter((role) => role.method === path)
      .flatMap((role) => role.allowedRedirectUris ?? []);
    const client = { clientId, clientSecret: secrets[provider.name] ?? '', redirectUris: [...new Set(uris)] };
    clients[provider.kind] = [...(clients[provider.kind] ?? []), client];
  }
  return clients;
}
