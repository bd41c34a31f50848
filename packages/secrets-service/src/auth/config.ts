import { configFields } from '@gatehouse/core/graph';
import type { DocumentSource } from '@gatehouse/service-client';
import type { Mount } from '../mounts/mount.ts';
import {
  emptyValues,
  isMap,
  type RequestFields,
  textField,
  type WireFields,
  wireFields,
  writtenFields,
} from '../protocol/fields.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { Collection, type Json, type Space } from '../storage/storage.ts';
import { checkProviderConfig, secretNames } from './provider-config.ts';

export type Config = WireFields<typeof configFields>;

/** The configuration of a mount, under the name `config`. */
const configOf = ({ uuid }: Mount) => new Collection<Config>('auth', uuid);

export function getConfig(space: Space, mount: Mount): Config | undefined {
  return configOf(mount).get(space, 'config');
}

export function putConfig(space: Space, mount: Mount, config: Config): void {
  configOf(mount).put(space, 'config', config);
}

/** The configuration as reads return it, without secrets. */
export function configData(config: Config) {
  const provider = Object.entries(config.provider_config).filter(([name]) => !secretNames.includes(name));
  const fields = wireFields(configFields).flatMap(([name, { secret }]) =>
    secret ? [] : [[name, config[name as keyof Config]]],
  );
  return { ...Object.fromEntries(fields), provider_config: Object.fromEntries(provider), status: 'valid' };
}

const empty = Object.fromEntries(
  wireFields(configFields).map(([name, { type }]) => [name, emptyValues[type]]),
) as Config;

/**
 * The configuration that a request describes. Omitted fields are reset, except `namespace_in_state`.
 *
 * @throws {RequestRefusal} 400
 */
export function newConfig(fields: RequestFields, existing: Config | undefined): Config {
  const config: Config = {
    ...empty,
    namespace_in_state: existing?.namespace_in_state ?? true,
    ...writtenFields(configFields, fields),
    jwks_pairs: pairs(fields['jwks_pairs'] ?? []),
  };
  config.default_role = config.default_role.toLowerCase();
  check(config);
  return config;
}

function pairs(keySets: Json): Config['jwks_pairs'] {
  if (!Array.isArray(keySets)) throw new RequestRefusal(400, "'jwks_pairs' must be a list");
  return keySets.map((pair) => {
    const fields = isMap(pair) ? pair : {};
    const url = textField(fields, 'jwks_url') ?? '';
    if (url === '') throw new RequestRefusal(400, "each of 'jwks_pairs' must have a 'jwks_url'");
    // Answered as given, as the real service does (hashicorp/vault-plugin-auth-jwt `path_config.go`).
    const caPem = textField(fields, 'jwks_ca_pem');
    return { jwks_url: url, ...(caPem === undefined ? {} : { jwks_ca_pem: caPem }) };
  });
}

function check(config: Config): void {
  const sources = [config.oidc_discovery_url, config.jwks_url].filter((url) => url !== '').length;
  const lists = [config.jwt_validation_pubkeys, config.jwks_pairs].filter((list) => list.length > 0).length;
  if (sources + lists !== 1) {
    throw new RequestRefusal(
      400,
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url', 'jwks_pairs', 'oidc_discovery_url', or 'provider_config' must be set",
    );
  }
  if ((config.oidc_client_id === '') !== (config.oidc_client_secret === '')) {
    throw new RequestRefusal(400, "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC");
  }
  if (config.oidc_client_id !== '' && config.oidc_discovery_url === '') {
    throw new RequestRefusal(400, "'oidc_discovery_url' must be set for OIDC");
  }
  if (config.oidc_discovery_url.includes('.well-known/openid-configuration')) {
    throw new RequestRefusal(400, "'oidc_discovery_url' contains '.well-known' component");
  }
  if (configFields.jwksCaPem.check.problem(config.jwks_ca_pem) !== undefined) {
    throw new RequestRefusal(400, 'error checking jwks_ca_pem');
  }
  for (const pem of config.jwt_validation_pubkeys) {
    if (configFields.jwtValidationPubkeys.check.problem(pem) === undefined) continue;
    throw new RequestRefusal(400, 'error parsing public key: data does not contain any valid public keys');
  }
  const unknown = config.jwt_supported_algs.find(
    (algorithm) => configFields.jwtSupportedAlgs.check.problem(algorithm) !== undefined,
  );
  if (unknown !== undefined) {
    throw new RequestRefusal(
      400,
      `invalid jwt_supported_algs: unsupported signing algorithm ${JSON.stringify(unknown)}`,
    );
  }
  const types = config.oidc_response_types;
  if (types.some((type) => type !== 'code' && type !== 'id_token')) {
    throw new RequestRefusal(
      400,
      `invalid response_types [${types.join(' ')}]. 'code' and 'id_token' are allowed`,
    );
  }
  if (!['', 'query', 'form_post'].includes(config.oidc_response_mode)) {
    throw new RequestRefusal(400, `invalid response_mode: ${JSON.stringify(config.oidc_response_mode)}`);
  }
  if (config.oidc_response_mode !== 'form_post' && types.includes('id_token')) {
    throw new RequestRefusal(400, 'query response_mode may not be used with an id_token response_type');
  }
  checkProviderConfig(config.provider_config);
}

/** The JWKS documents of a method, without its issuer's. */
export function jwksPlaces(config: Config): DocumentSource[] {
  const single =
    config.jwks_url === '' ? [] : [{ jwks_url: config.jwks_url, jwks_ca_pem: config.jwks_ca_pem }];
  return [...single, ...config.jwks_pairs].map((pair) => ({ url: pair.jwks_url, caPem: pair.jwks_ca_pem }));
}

export function issuerPlace(config: Config): DocumentSource | undefined {
  if (config.oidc_discovery_url === '') return undefined;
  return { url: config.oidc_discovery_url, caPem: config.oidc_discovery_ca_pem };
}
