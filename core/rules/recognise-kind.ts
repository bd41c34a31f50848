import { ProviderKind } from '../model/kinds/kind.ts';
import type { State } from '../model/state.ts';

/** Issuers by which a hosted provider is known, whoever its customer is. */
const hosts: [RegExp, ProviderKind][] = [
  [
    /^(login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)|sts\.windows\.net)$/,
    'cloud_directory',
  ],
  [/\.auth0\.com$/, 'hosted_identity_platform'],
  [/^accounts\.google\.com$/, 'workspace_suite'],
  [/\.okta(preview|-emea|-gov)?\.com$/, 'enterprise_identity_provider'],
  [/(^|[.-])keycloak[.-]/, 'open_source_identity_server'],
  [/^kubernetes\.default\.svc(\.|$)|^oidc\.eks\.|^container\.googleapis\.com$/, 'container_orchestrator'],
];

/** The kind of the provider behind a method of whom only the state is known; undefined where nothing tells. */
export function recogniseKind({ methods, roles }: State, path: string): ProviderKind | undefined {
  const method = methods.find((one) => one.path === path);
  if (method === undefined) return undefined;
  const { providerConfig, oidcDiscoveryUrl, boundIssuer } = method.config;
  if (providerConfig !== undefined) return providerConfig.provider;
  for (const url of [oidcDiscoveryUrl, boundIssuer]) {
    if (url === undefined || !URL.canParse(url)) continue;
    const { hostname, pathname } = new URL(url);
    const byHost = hosts.find(([pattern]) => pattern.test(hostname))?.[1];
    if (byHost !== undefined) return byHost;
    if (/\/realms(\/|$)/.test(pathname)) return ProviderKind.openSourceIdentityServer;
    // Also where workloads of its pipelines sign in, with tokens of the same issuer: that is another thing.
    if (hostname === 'gitlab.com' && method.type === 'oidc') return ProviderKind.sourceHosting;
  }
  const isOfCluster = roles.some(
    (role) => role.method === path && role.boundSubject?.startsWith('system:serviceaccount:'),
  );
  return isOfCluster ? ProviderKind.containerOrchestrator : undefined;
}
