import { z } from 'zod';
import { isObject } from '../values/json.ts';
import { blockOf, textMap, trimmed } from '../values/loose-values.ts';
import { toSnakeCase } from '../values/wire.ts';
import { address, algorithms, certificates, issuer, keySet, publicKey } from './checks.ts';
import {
  type ByName,
  canonicalFields,
  choice,
  type Field,
  type Fields,
  field,
  flag,
  liveTexts,
  readFields,
  seconds,
  shapeOf,
  text,
  texts,
  url,
  type Values,
} from './field.ts';
import { providerConfig, providerConfigFromWire } from './provider-config.ts';
import type { Resource } from './resource.ts';

/** Whether people sign in by browser (`oidc`), or workloads by token (`jwt`). */
export const MethodType = { oidc: 'oidc', jwt: 'jwt' } as const;
export type MethodType = (typeof MethodType)[keyof typeof MethodType];

/** Whether an auth method of this type is modeled. */
export function isMethodType(type: string): type is MethodType {
  return Object.values<string>(MethodType).includes(type);
}

/**
 * A row for names of headers or fields. None has an empty name: the official plugin writes one into each list of a tuning
 * that does not set it, and services keep it (test/recorded/official).
 */
const liveNames = (about: string, inert: string) =>
  liveTexts('nothing', about, (names) => names.filter((name) => name !== ''), inert);
const hashed = 'A log has hashes of all else. A credential that it has in clear is looked at by itself.';

/** How long tokens of a method's mount live unless a role says otherwise, and who sees the method. */
export const tuneFields = {
  defaultLeaseTtl: seconds('lifetime', 'How long tokens live unless a role says otherwise.', {
    otherwise: 'the service’s own',
    example: '1h',
    cleared: false,
    reset: '0s',
  }),
  maxLeaseTtl: seconds('lifetime', 'How long tokens can be renewed for.', {
    otherwise: 'the service’s own',
    example: '24h',
    cleared: false,
    reset: '0s',
  }),
  listingVisibility: choice('unauth', 'hidden')('nothing', 'Whether the sign-in page lists the method.', {
    inert: 'Anyone may name a method that is not listed.',
    default: 'hidden',
    example: 'unauth',
    cleared: false,
  }),
  tokenType: choice(
    'default-service',
    'default-batch',
    'service',
    'batch',
  )('access', 'Type of the tokens of roles that leave it to the method.', {
    default: 'default-service',
    example: 'batch',
    cleared: false,
  }),
  passthroughRequestHeaders: liveNames(
    'Headers of requests that the method gets to see.',
    'An OIDC or JWT method reads none.',
  ),
  allowedResponseHeaders: liveNames(
    'Headers of responses that the method may set.',
    'They go to people and workloads that have signed in.',
  ),
  auditNonHmacRequestKeys: liveNames('Fields of requests that the audit log has in the clear.', hashed),
  auditNonHmacResponseKeys: liveNames('Fields of responses that the audit log has in the clear.', hashed),
} as const satisfies Fields;

export type Tune = Values<typeof tuneFields>;
const tuneTable: Fields = tuneFields;

const pem = (text: string) => text.trim();

/**
 * Configuration of an OIDC or JWT auth method (docs/inside/specification.md B1; further fields
 * docs/inside/measured/sign-in.md#fields).
 */
export const configFields = {
  oidcDiscoveryUrl: url('access', 'Issuer of the provider, without the well-known suffix.', {
    source: 'B1',
    trusts: 'another',
    check: issuer,
  }),
  oidcDiscoveryCaPem: text('access', 'CA certificate to trust when contacting the discovery URL.', {
    source: 'B1',
    trusts: 'another',
    canonical: pem,
    check: certificates,
  }),
  oidcClientId: text('access', 'Client id that the provider issued.', { source: 'B1' }),
  oidcClientSecret: text('access', 'Client secret that the provider issued.', {
    source: 'B1',
    secret: true,
  }),
  oidcResponseMode: choice('query', 'form_post')('nothing', 'How the provider sends its answer back.', {
    inert: 'The answer is the same, and checked in the same way.',
    default: 'query',
  }),
  oidcResponseTypes: field(
    'texts',
    z.array(z.enum(['code', 'id_token'])),
    'nothing',
    'What the provider is asked for.',
    { inert: 'The token that the provider gives is checked in the same way.', default: ['code'] },
  ),
  jwksUrl: url('access', 'Address of a JWKS document.', { trusts: 'another', check: address }),
  jwksCaPem: text('access', 'CA certificate to trust when contacting the JWKS document.', {
    trusts: 'another',
    canonical: pem,
    check: certificates,
  }),
  jwksPairs: field(
    'keySets',
    z.array(z.record(z.string(), z.string())),
    'access',
    'Addresses of JWKS documents, each with the CA certificate to trust.',
    {
      trusts: 'any of',
      check: keySet,
      canonical: (pairs: Record<string, string>[]) =>
        pairs.map(({ jwks_url, jwks_ca_pem: ca }) => ({ jwks_url, ...(ca ? { jwks_ca_pem: pem(ca) } : {}) })),
    },
  ),
  jwtValidationPubkeys: texts('access', 'PEM public keys that validate tokens.', {
    source: 'B1',
    trusts: 'any of',
    isSet: true,
    canonical: (keys: string[]) => keys.map(pem),
    check: publicKey,
  }),
  jwtSupportedAlgs: texts('access', 'Signing algorithms that are accepted.', {
    otherwise: 'every signing algorithm for tokens, RS256 by browser',
    isSet: true,
    check: algorithms,
  }),
  boundIssuer: text('access', 'The issuer that a token must carry.', {
    trusts: 'if set',
    otherwise: 'any: the issuer of a token is not checked',
  }),
  // Always lower case, as the service keeps it.
  defaultRole: field('text', z.string().toLowerCase(), 'nothing', 'Role used when a sign-in names none.', {
    inert: 'Anyone may name the role.',
    otherwise: 'none',
    source: 'B1',
  }),
  providerConfig: field('providerConfig', providerConfig, 'access', 'Settings for one kind of provider.', {
    otherwise: 'none',
    source: 'B3',
  }),
  namespaceInState: flag('nothing', 'Whether the namespace travels in the OIDC state.', {
    inert: 'The method and its role are in that namespace, wherever its name travels.',
    default: true,
  }),
  overrideAllowedServerNames: texts(
    'access',
    'Names in the provider’s certificate that are taken for its own, on OpenBao.',
    { trusts: 'each', otherwise: 'none', isSet: true, liveOnly: true },
  ),
} as const satisfies Fields;

const { oidcDiscoveryCaPem, oidcResponseTypes, jwtSupportedAlgs, boundIssuer, namespaceInState } =
  configFields;

/** What a provider may set of its method itself, whatever its kind says. */
export const ownConfigFields = {
  oidcDiscoveryCaPem,
  oidcResponseTypes,
  jwtSupportedAlgs,
  boundIssuer,
  namespaceInState,
} as const satisfies Fields;
export const ownConfig = z.strictObject(shapeOf(ownConfigFields));

/** An auth method's configuration. The client secret is not part of it: no read returns it, and it never is plain data. */
export type MethodConfig = Omit<Values<typeof configFields>, 'oidcClientSecret'>;

/** An auth method: a mount of type oidc or jwt, with its configuration. */
export interface AuthMethod {
  /** Mount path below `auth/`, without slashes at its ends. */
  path: string;
  type: MethodType;
  description?: string;
  config: MethodConfig;
  tune?: Tune;
}

/** Reads the body of `auth/<path>/config` (docs/inside/specification.md B1), in either dialect. */
export function methodConfigFromWire({ provider_config: given, ...wire }: ByName): MethodConfig {
  const config: MethodConfig = readFields(configFields, wire);
  const known = providerConfigFromWire((given ?? {}) as ByName);
  return known === undefined ? config : { ...config, providerConfig: known };
}

/** Whether a configuration has settings for a provider that {@link methodConfigFromWire} leaves out. */
export function hasUnknownProvider({ provider_config: given }: ByName): boolean {
  return isObject(given) && Object.keys(given).length > 0 && providerConfigFromWire(given) === undefined;
}

/** Reads an auth method from its entry in `sys/auth` and its config. */
export function methodFromWire(path: string, mount: ByName, config: ByName): AuthMethod {
  const tune: Tune = canonicalFields(tuneFields, readFields(tuneFields, (mount['config'] ?? {}) as ByName));
  return {
    path: trimmed(path),
    // The type of a mount says which plugin serves it; both types are one plugin in OpenBao and Vault.
    type: mount['type'] === 'oidc' ? 'oidc' : 'jwt',
    ...(mount['description'] ? { description: String(mount['description']) } : {}),
    config: methodConfigFromWire(config),
    ...(Object.keys(tune).length > 0 && { tune }),
  };
}

function methodFromPlan(path: string, fields: ByName): AuthMethod {
  const tune = Object.entries(blockOf(fields['tune']) ?? {}).map(([name, value]) => [
    toSnakeCase(name),
    value,
  ]);
  const provider_config = textMap(fields['provider_config']);
  const method = methodFromWire(
    path,
    { ...fields, config: Object.fromEntries(tune) },
    { ...fields, provider_config },
  );
  return { ...method, config: withoutKey(method.config) };
}

/** A configuration without what may be a service account's key: a path to its file, or the key itself. */
export function withoutKey(config: MethodConfig): MethodConfig {
  const { providerConfig } = config;
  if (providerConfig?.provider !== 'workspace_suite') return config;
  return { ...config, providerConfig: { ...providerConfig, suiteServiceAccount: '[secret]' } };
}

/** Addresses that a method gets its keys from, as they are asked for: `%2F` is a slash. */
export function keySourcesOf({ config }: AuthMethod): string[] {
  const { oidcDiscoveryUrl, jwksUrl, jwksPairs = [] } = config;
  const sources = [oidcDiscoveryUrl, jwksUrl, ...jwksPairs.flatMap(Object.values)];
  return sources.filter((text): text is string => typeof text === 'string' && text !== '').map(asAsked);
}

function asAsked(text: string): string {
  const { href } = URL.parse(text) ?? { href: text };
  const decoded = href.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.replace(/(?<!:)\/{2,}/g, '/');
}

/** Type, description, configuration and tuning. Secrets are left out: no read returns them. */
function canonicalMethod({ type, description, config, tune = {} }: AuthMethod): ByName {
  const { providerConfig } = config;
  const lookUp = providerConfig?.provider === 'workspace_suite' ? providerConfig : undefined;
  const tuned = canonicalFields(tuneFields, tune);
  return {
    type,
    ...(description ? { description } : {}),
    ...canonicalFields(configFields, {
      ...config,
      providerConfig: lookUp === undefined ? providerConfig : { ...lookUp, suiteServiceAccount: undefined },
    }),
    ...Object.fromEntries(Object.entries(tuned).map(([name, value]) => [`tune.${name}`, value])),
  };
}

/** An auth method. Its fields are those of its configuration. */
export const method: Resource<AuthMethod, 'method', 'methods'> = {
  type: 'method',
  list: 'methods',
  fields: configFields,
  nameOf: ({ path }) => path,
  key: (path) => path,
  kept: trimmed,
  isNameable: true,
  canonical: canonicalMethod,
  difference(found, declared) {
    // The client of an application that the program creates is known only to the service.
    const { field } = found;
    if (field === 'oidcClientId' && found.declared === undefined && declared.type === 'oidc')
      return undefined;
    const [, tuned = ''] = /^tune\.(.+)$/.exec(field) ?? [];
    const { liveOnly }: Partial<Field> = tuneTable[tuned] ?? {};
    return liveOnly ? { ...found, isLeft: true, note: 'no stack can declare it' } : found;
  },
  yaml: { list: 'providers', name: 'path' },
  referredAs: 'mount',
  official: {
    pulumi: 'vault:jwt/authBackend:AuthBackend',
    name: 'path',
    byDefault: 'jwt',
    importId: (path) => path,
    lookedAt: ['path', 'type', 'description', 'local', 'disable_remount', 'oidc_client_secret_wo_version'],
    blocks: { tune: tuneFields },
    isTyped: true,
    fromPlan: (fields, { name }) => methodFromPlan(name, fields),
  },
};
