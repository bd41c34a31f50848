import { z } from 'zod';
import { duration } from '../values/duration.ts';
import { blockOf, textMap, trimmed } from '../values/loose-values.ts';
import { textList } from '../values/text-list.ts';
import { toCamelCase } from '../values/wire.ts';
import { type ByName, canonicalFields, type Fields, readFields, shapeOf, type Values } from './field.ts';
import { providerConfig, providerConfigFromWire } from './provider-config.ts';
import type { Resource } from './resource.ts';

export const MethodType = { oidc: 'oidc', jwt: 'jwt' } as const;
export type MethodType = (typeof MethodType)[keyof typeof MethodType];

export function isMethodType(type: string): type is MethodType {
  return Object.values<string>(MethodType).includes(type);
}

/** Texts that only a service holds. */
const liveTexts = (about: string) =>
  ({
    type: 'texts',
    schema: textList,
    bearsOn: 'nothing',
    about,
    otherwise: 'none',
    source: 'service',
    isSet: true,
    liveOnly: true,
  }) as const;

const liveTune = {
  passthroughRequestHeaders: liveTexts('Headers of requests that the method gets to see.'),
  allowedResponseHeaders: liveTexts('Headers of responses that the method may set.'),
  auditNonHmacRequestKeys: liveTexts('Fields of requests that the audit log has in the clear.'),
  auditNonHmacResponseKeys: liveTexts('Fields of responses that the audit log has in the clear.'),
} as const satisfies Fields;

/** How long tokens of a method's mount live unless a role says otherwise, and who sees the method. */
export const tuneFields = {
  defaultLeaseTtl: {
    type: 'seconds',
    schema: duration,
    bearsOn: 'lifetime',
    about: 'How long tokens live unless a role says otherwise.',
    otherwise: 'the service’s own',
    example: '1h',
    source: 'service',
  },
  maxLeaseTtl: {
    type: 'seconds',
    schema: duration,
    bearsOn: 'lifetime',
    about: 'How long tokens can be renewed for.',
    otherwise: 'the service’s own',
    example: '24h',
    source: 'service',
  },
  listingVisibility: {
    type: 'text',
    schema: z.enum(['unauth', 'hidden']),
    bearsOn: 'nothing',
    about: 'Whether the sign-in page lists the method.',
    default: 'hidden',
    example: 'unauth',
    source: 'service',
  },
  tokenType: {
    type: 'text',
    schema: z.enum(['default-service', 'default-batch', 'service', 'batch']),
    bearsOn: 'lifetime',
    about: 'Type of the tokens of roles that leave it to the method.',
    default: 'default-service',
    example: 'batch',
    source: 'service',
  },
  ...liveTune,
} as const satisfies Fields;
export const tune = z.strictObject(shapeOf(tuneFields));
export type Tune = Values<typeof tuneFields>;

/** The algorithms of signatures that a token may have; none with a shared secret. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
];

const pem = (text: string) => text.trim();

/**
 * Configuration of an OIDC or JWT auth method (interface.md B1; further fields facts/jwt-oidc.md).
 */
export const configFields = {
  oidcDiscoveryUrl: {
    type: 'text',
    schema: z.url(),
    bearsOn: 'access',
    about: 'Issuer of the provider, without the well-known suffix.',
    source: 'B1',
  },
  oidcDiscoveryCaPem: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'CA certificate to trust when contacting the discovery URL.',
    source: 'B1',
    canonical: pem,
  },
  oidcClientId: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'Client id that the provider issued.',
    source: 'B1',
  },
  oidcClientSecret: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'Client secret that the provider issued.',
    source: 'B1',
    secret: true,
  },
  oidcResponseMode: {
    type: 'text',
    schema: z.enum(['query', 'form_post']),
    bearsOn: 'nothing',
    about: 'How the provider sends its answer back.',
    default: 'query',
    source: 'service',
  },
  oidcResponseTypes: {
    type: 'texts',
    schema: z.array(z.enum(['code', 'id_token'])),
    bearsOn: 'nothing',
    about: 'What the provider is asked for.',
    default: ['code'],
    source: 'service',
  },
  jwksUrl: {
    type: 'text',
    schema: z.url(),
    bearsOn: 'access',
    about: 'Address of a JWKS document.',
    source: 'service',
  },
  jwksCaPem: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'CA certificate to trust when contacting the JWKS document.',
    source: 'service',
    canonical: pem,
  },
  jwksPairs: {
    type: 'keySets',
    schema: z.array(z.record(z.string(), z.string())),
    bearsOn: 'access',
    about: 'Addresses of JWKS documents, each with the CA certificate to trust.',
    source: 'service',
    canonical: (pairs: Record<string, string>[]) =>
      pairs.map(({ jwks_url, jwks_ca_pem: ca }) => ({ jwks_url, ...(ca ? { jwks_ca_pem: pem(ca) } : {}) })),
  },
  jwtValidationPubkeys: {
    type: 'texts',
    schema: textList,
    bearsOn: 'access',
    about: 'PEM public keys that validate tokens.',
    source: 'B1',
    isSet: true,
    canonical: (keys: string[]) => keys.map(pem),
  },
  jwtSupportedAlgs: {
    type: 'texts',
    schema: textList,
    bearsOn: 'access',
    about: 'Signing algorithms that are accepted.',
    otherwise: 'every signing algorithm for tokens, RS256 by browser',
    source: 'service',
    isSet: true,
  },
  boundIssuer: {
    type: 'text',
    schema: z.string(),
    bearsOn: 'access',
    about: 'The issuer that a token must carry.',
    otherwise: 'any: the issuer of a token is not checked',
    source: 'service',
  },
  defaultRole: {
    type: 'text',
    // Always lower case, as the service keeps it.
    schema: z.string().toLowerCase(),
    bearsOn: 'nothing',
    about: 'Role used when a sign-in names none.',
    otherwise: 'none',
    source: 'B1',
  },
  providerConfig: {
    type: 'providerConfig',
    schema: providerConfig,
    bearsOn: 'access',
    about: 'Settings for one kind of provider.',
    otherwise: 'none',
    source: 'B3',
  },
  namespaceInState: {
    type: 'flag',
    schema: z.boolean(),
    bearsOn: 'nothing',
    about: 'Whether the namespace travels in the OIDC state.',
    default: true,
    source: 'service',
  },
  overrideAllowedServerNames: {
    ...liveTexts('Names in the provider’s certificate that are taken for its own, on OpenBao.'),
    bearsOn: 'access',
  },
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

/** Reads the body of `auth/<path>/config` (interface.md B1), in either dialect. */
export function methodConfigFromWire({ provider_config: given, ...wire }: ByName): MethodConfig {
  const config: MethodConfig = readFields(configFields, wire);
  const known = providerConfigFromWire((given ?? {}) as ByName);
  return known === undefined ? config : { ...config, providerConfig: known };
}

/** Reads an auth method from its entry in `sys/auth` and its config. */
export function methodFromWire(path: string, mount: ByName, config: ByName): AuthMethod {
  const tuned = readFields(tuneFields, (mount['config'] ?? {}) as ByName);
  const tune = Object.entries(tuned).filter(
    ([name, value]) =>
      value !== (tuneFields[name as keyof typeof tuneFields] as { default?: unknown }).default,
  );
  return {
    path: trimmed(path),
    // The type of a mount says which plugin serves it; both types are one plugin in OpenBao and Vault.
    type: mount['type'] === 'oidc' ? 'oidc' : 'jwt',
    ...(mount['description'] ? { description: String(mount['description']) } : {}),
    config: methodConfigFromWire(config),
    ...(tune.length === 0 ? {} : { tune: Object.fromEntries(tune) }),
  };
}

/** What is set of a mount's tuning, by the names of the model. */
export function knownTune(block: ByName): [name: keyof Tune, value: unknown][] {
  const names = Object.keys(tuneFields) as (keyof Tune)[];
  return Object.entries(block).flatMap(([given, value]) => {
    const name = names.find((one) => one === toCamelCase(given));
    const isEmpty = value === '' || value === null || (Array.isArray(value) && value.length === 0);
    return name === undefined || isEmpty ? [] : [[name, value]];
  });
}

function methodFromPlan(path: string, fields: ByName): AuthMethod {
  const method = methodFromWire(path, fields, {
    ...fields,
    provider_config: textMap(fields['provider_config']),
  });
  const { providerConfig } = method.config;
  if (providerConfig?.provider === 'workspace_suite') {
    // A path to a key file, or the key itself: never kept.
    method.config.providerConfig = { ...providerConfig, suiteServiceAccount: '[secret]' };
  }
  const block = blockOf(fields['tune']);
  if (block === undefined) return method;
  const read = knownTune(block).flatMap(([name, value]) => {
    const { success, data } = tuneFields[name].schema.safeParse(value);
    return success ? [[name, data]] : [];
  });
  return read.length > 0 ? { ...method, tune: Object.fromEntries(read) } : method;
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
  words: (path) => `auth/${path}`,
  isNameable: true,
  canonical: canonicalMethod,
  difference(found, declared) {
    // The client of an application that the program creates is known only to the service.
    const { field } = found;
    if (field === 'oidcClientId' && found.declared === undefined && declared.type === 'oidc')
      return undefined;
    const [, tuned] = /^tune\.(.+)$/.exec(field) ?? [];
    if (tuned === undefined || Object.hasOwn(declared.tune ?? {}, tuned)) return found;
    return { ...found, isLeft: true, note: 'the tuning is not declared' };
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
