import type { Service } from './environment.ts';
import { limits } from './values/limits.ts';
import { names } from './values/wire.ts';

/**
 * The two redirect URIs of an OIDC role: one for the command line (loopback, port 8250), one for the service's pages
 * (interface.md B-2, "Redirect URIs").
 */
export function redirectUris(
  service: Pick<Service, 'address' | 'uiAddress' | 'dialect'>,
  methodPath: string,
): string[] {
  return [
    `http://localhost:${limits.cliRedirectPort}/oidc/callback`,
    `${service.uiAddress ?? service.address}/ui/${names[service.dialect].uiSegment}/auth/${methodPath}/oidc/callback`,
  ];
}
