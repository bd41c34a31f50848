import { jsonIn, parseServiceVersion } from '@gatehouse/core/values';
import { type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import type { CheckRequest, CheckResponse } from '../plugin.ts';
import { checkInputs } from './check.ts';
import { entries, type Schema } from './schema.ts';

const otherLogin = 'sign in first and give the token in VAULT_TOKEN';
const logins = [
  '',
  'Aws',
  'Azure',
  'Cert',
  'Gcp',
  'Jwt',
  'Kerberos',
  'Oci',
  'Oidc',
  'Radius',
  'TokenFile',
  'Userpass',
];

/** The properties of `vault.Provider`. Unsupported ones are refused, never ignored. */
const schema: Schema = {
  address: { type: 'string' },
  token: { type: 'string' },
  tokenName: { type: 'string' },
  namespace: { type: 'string' },
  headers: { type: 'maps' },
  skipChildToken: { type: 'boolean' },
  maxLeaseTtlSeconds: { type: 'integer' },
  maxRetries: { type: 'integer' },
  caCertFile: { type: 'string' },
  tlsServerName: { type: 'string' },
  skipTlsVerify: { type: 'boolean' },
  skipGetVaultVersion: { type: 'boolean' },
  vaultVersionOverride: {
    type: 'string',
    refuse: (value) =>
      parseServiceVersion(value) === undefined ? 'must be a version, for example 1.21.0+ent' : undefined,
  },
  // Every plugin resource may have these.
  version: {
    type: 'string',
    refuse: (value) =>
      value.startsWith('7.')
        ? undefined
        : 'must be 7, the version that this plugin follows: install @pulumi/vault 7.8.0, or use the official plugin',
  },
  pluginDownloadURL: { type: 'string' },
  ...Object.fromEntries(
    logins.map((login) => [`authLogin${login}`, { type: 'object' as const, unsupported: otherLogin }]),
  ),
  clientAuth: { type: 'object', unsupported: 'client certificates are not done' },
  caCertDir: { type: 'string', unsupported: 'put the certificates into one file and name it in caCertFile' },
  maxRetriesCcc: { type: 'integer', unsupported: 'maxRetries counts for these requests too' },
  addAddressToEnv: { type: 'string', unsupported: 'no token helper is run, so nothing would read it' },
  setNamespaceFromToken: { type: 'boolean', unsupported: 'set namespace, which says the same in words' },
};

/**
 * Checks a plugin resource's inputs and returns them unchanged. The SDK and the CLI send values other than strings as
 * JSON (`"skipChildToken": "true"`).
 */
export function checkProviderConfig(request: CheckRequest): CheckResponse {
  const { failures } = checkInputs(schema, { ...request, olds: {}, news: decoded(request.news) });
  return { inputs: request.news, failures };
}

/** The configuration with decoded values; undefined if a part of it is not known yet. */
export function knownProviderConfig(inputs: PropertyMap): PropertyMap | undefined {
  const config = decoded(inputs);
  return Object.values(config).some((value) => value instanceof Unknown) ? undefined : config;
}

function decoded(inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    entries(inputs)
      .filter(([name]) => name !== '__internal')
      .map(([name, value]) => [name, decode(name, value)]),
  );
}

function decode(name: string, value: PropertyValue): PropertyValue {
  const type = Object.hasOwn(schema, name) ? schema[name]?.type : undefined;
  if (typeof value !== 'string' || type === undefined || type === 'string') return value;
  const json = jsonIn(value) as PropertyValue | undefined;
  return json === undefined ? value : json;
}
