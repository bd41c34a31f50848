import { createHash } from 'node:crypto';
import type { MethodConfig } from '../../model/resources/auth-method.ts';
import type { ProviderConfig } from '../../model/resources/provider-config.ts';
import type { Role } from '../../model/resources/role.ts';

/** One of the things that a condition takes. */
export interface Member {
  id: string;
  words: string;
}

/** Whether workloads sign in with a token; otherwise people do, by browser. */
export function isTokenRole({ roleType }: Role): boolean {
  return roleType === 'jwt';
}

/**
 * Where the keys come from that tokens are verified with. With another CA certificate it is another source: the
 * owner of that certificate can serve keys. By browser, only the provider's own count.
 */
export function keySources(role: Role, config: MethodConfig): Member[] {
  const issuer = config.oidcDiscoveryUrl;
  const discovered = issuer === undefined ? [] : [source(issuer, config.oidcDiscoveryCaPem)];
  if (!isTokenRole(role)) return discovered;
  const pairs = (config.jwksPairs ?? []).map(({ jwks_url: url = '', jwks_ca_pem: ca }) => source(url, ca));
  return [
    ...discovered,
    ...(config.jwksUrl === undefined ? [] : [source(config.jwksUrl, config.jwksCaPem)]),
    ...pairs,
    ...(config.jwtValidationPubkeys ?? []).map((pem) => ({
      id: `key ${bare(pem)}`,
      words: `public key ${fingerprint(pem)}`,
    })),
  ];
}

function source(url: string, ca = ''): Member {
  const address = url.replace(/\/+$/, '');
  if (bare(ca) === '') return { id: `at ${address}`, words: `keys of ${address}` };
  return {
    id: `at ${address} by ${bare(ca)}`,
    words: `keys of ${address} by CA certificate ${fingerprint(ca)}`,
  };
}

function bare(pem: string): string {
  return pem.replace(/\s+/g, '');
}

function fingerprint(pem: string): string {
  return `sha256:${createHash('sha256').update(bare(pem)).digest('hex').slice(0, 8)}`;
}

/** Where codes of sign-ins may go. On loopback the service takes any port. */
export function redirectPlaces(uris: string[]): Member[] {
  return uris.map((text) => {
    const uri = URL.parse(text);
    if (uri !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(uri.hostname)) uri.port = '';
    return { id: uri?.href ?? text, words: text };
  });
}

/** Where the names of a person's groups come from. */
export function groupSources(given: ProviderConfig | undefined): Member[] {
  const token = { id: 'token', words: 'the token' };
  if (given === undefined) return [token];
  // Asked only where the token leaves them out: there are too many of them.
  if (given.provider === 'cloud_directory') return [token, { id: 'cloud', words: 'the cloud directory' }];
  if (!given.fetchGroups) return [];
  const { suiteServiceAccount: account, suiteAdminImpersonate: admin } = given;
  return [{ id: JSON.stringify([account, admin]), words: `the directory that ${admin} may read` }];
}
