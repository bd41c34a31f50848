import { z } from 'zod';
import { duration } from '../values/duration.ts';
import { textList } from '../values/text-list.ts';
import { type ProviderConfig, providerConfig } from './provider-config.ts';

export const MethodType = { oidc: 'oidc', jwt: 'jwt' } as const;
export type MethodType = (typeof MethodType)[keyof typeof MethodType];

export function isMethodType(type: string): type is MethodType {
  return Object.values<string>(MethodType).includes(type);
}

/** How long tokens of a method's mount live unless a role says otherwise, and who sees the method. */
export const tune = z.strictObject({
  /** Seconds; `1h` or the like in YAML. Defaults to the service's own. */
  defaultLeaseTtl: duration.optional(),
  maxLeaseTtl: duration.optional(),
  /** Whether the sign-in page lists the method before anyone has signed in. Defaults to `hidden`. */
  listingVisibility: z.enum(['unauth', 'hidden']).optional(),
  tokenType: z.enum(['default-service', 'default-batch', 'service', 'batch']).optional(),
});
export type Tune = z.output<typeof tune>;

/**
 * Configuration of an OIDC or JWT auth method (interface.md B1; further fields facts/jwt-oidc.md). The client
 * secret is not part of it: it can never be read back, and never belongs into plain data.
 */
export interface MethodConfig {
  /** Issuer of the provider, without the well-known suffix. */
  oidcDiscoveryUrl?: string;
  /** CA certificate to trust when contacting the discovery URL. */
  oidcDiscoveryCaPem?: string;
  oidcClientId?: string;
  oidcResponseMode?: 'query' | 'form_post';
  oidcResponseTypes?: ('code' | 'id_token')[];
  jwksUrl?: string;
  jwksCaPem?: string;
  /** PEM public keys that validate tokens. */
  jwtValidationPubkeys?: string[];
  boundIssuer?: string;
  jwtSupportedAlgs?: string[];
  /** Role used when a sign-in names none; always lower case, as the service keeps it. */
  defaultRole?: string;
  providerConfig?: ProviderConfig;
  namespaceInState?: boolean;
}

/** Reads a config as interface.md or a YAML spells it: keys may be chained with commas. */
export const methodConfig = z.strictObject({
  oidcDiscoveryUrl: z.url().optional(),
  oidcDiscoveryCaPem: z.string().optional(),
  oidcClientId: z.string().optional(),
  oidcResponseMode: z.enum(['query', 'form_post']).optional(),
  oidcResponseTypes: z.array(z.enum(['code', 'id_token'])).optional(),
  jwksUrl: z.url().optional(),
  jwksCaPem: z.string().optional(),
  jwtValidationPubkeys: textList.optional(),
  boundIssuer: z.string().optional(),
  jwtSupportedAlgs: textList.optional(),
  defaultRole: z.string().toLowerCase().optional(),
  providerConfig: providerConfig.optional(),
  namespaceInState: z.boolean().optional(),
});

/** An auth method: a mount of type oidc or jwt, with its configuration. */
export interface AuthMethod {
  /** Mount path below `auth/`, without slashes at its ends. */
  path: string;
  type: MethodType;
  description?: string;
  config: MethodConfig;
  tune?: Tune;
}
