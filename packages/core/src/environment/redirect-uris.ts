import { limits } from '../graph/values/limits.ts';
import { names } from '../graph/values/wire.ts';
import type { ServiceSettings } from './environment.ts';

/** Where the pages of `gatehouse serve` take an identity provider's answer, below their address. */
export const runPagesCallback = '/ui/sign-in/callback';

/** Where the pages of `gatehouse serve` take the answer of an issuer at which it signs people in itself. */
export const runPagesIssuerCallback = '/ui/sign-in/issuer/callback';

/**
 * The redirect URIs of an OIDC role: one for the command line (loopback, port 8250), one for the service's pages
 * (docs/inside/specification.md B-2, "Redirect URIs"), and one for the pages of `gatehouse serve` where those are
 * known.
 */
export function redirectUris(
  service: Pick<ServiceSettings, 'address' | 'uiAddress' | 'platformAddress' | 'dialect' | 'namespace'>,
  methodPath: string,
  namespaceInState = true,
): string[] {
  const { namespace = '' } = service;
  // Pages add the namespace to the URI. A server removes it if the state carries it (measured on OpenBao 2.7.2).
  const query = namespaceInState || namespace === '' ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return [
    `http://localhost:${limits.cliRedirectPort}/oidc/callback`,
    `${service.uiAddress ?? service.address}/ui/${names[service.dialect].uiSegment}/auth/${methodPath}/oidc/callback${query}`,
    ...(service.platformAddress === undefined ? [] : [`${service.platformAddress}${runPagesCallback}`]),
  ];
}
