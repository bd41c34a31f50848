import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type ServiceClient } from '../../../client/service-client.ts';
import { configFields } from '../../../core/model/resources/auth-method.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';
import { Dialect, names, toSnakeCase } from '../../../core/model/values/wire.ts';
import { isPropertyMap, type PropertyMap, Unknown } from '../../property-value.ts';
import { type CheckFailure, PluginError } from '../plugin.ts';
import type { ResourceType } from './resource-type.ts';
import { entries, isEmpty, namespaceProperty, type Schema, schemaOf, text, toldValues } from './schema.ts';
import { stateFrom } from './state.ts';
import { ownTune, toldTune, tuneProperty, writtenTune } from './tune.ts';

/** The service trims what is in a list: a PEM key loses its last line break. */
const trim = (value: string) => value.trim();

/** What `auth/<path>/config` holds. */
const config = schemaOf(
  configFields,
  {
    oidcResponseMode: { oneOf: [...configFields.oidcResponseMode.schema.options, ''] },
    oidcResponseTypes: { oneOf: configFields.oidcResponseTypes.schema.element.options, normal: trim },
    // Lists to the official plugin, for which their order counts.
    jwtValidationPubkeys: { type: 'list', normal: trim },
    jwtSupportedAlgs: { type: 'list', normal: trim },
  },
  ['namespaceInState'],
);

/** The provider's own settings are turned into text. */
const { providerConfig: _, ...settings } = config;

const writeOnly =
  'give the secret as oidcClientSecret, from a secret of the stack; it is encrypted in the state';

/** What the mount's own entry tells. */
const mountSchema: Schema = {
  type: { type: 'string', default: 'jwt', oneOf: ['jwt', 'oidc'], replaces: true },
  local: { type: 'boolean', default: false, replaces: true },
  accessor: { type: 'string', outputOnly: true },
};

const schema: Schema = {
  path: {
    type: 'string',
    default: 'jwt',
    replaces: (_olds, news) => news['disableRemount'] === true,
    refuse: (value) =>
      /^\/|\/$|^$/.test(value) ? 'must not be empty, nor begin or end with a slash' : undefined,
  },
  // A write-only property to the official plugin too: it never looks at what the service says.
  description: { type: 'string', unread: true },
  disableRemount: { type: 'boolean', default: false, unread: true },
  ...config,
  oidcClientSecretWo: { type: 'string', unsupported: writeOnly },
  oidcClientSecretWoVersion: { type: 'integer', unsupported: writeOnly },
  tune: tuneProperty,
  ...mountSchema,
  namespace: namespaceProperty,
};

const keySources = ['oidcDiscoveryUrl', 'jwksUrl', 'jwksPairs', 'jwtValidationPubkeys'];
/** A JWT or OIDC auth method (hashicorp/terraform-provider-vault `vault/resource_jwt_auth_backend.go`). */
export const authBackend: ResourceType = {
  token: 'vault:jwt/authBackend:AuthBackend',
  schema,

  check(inputs) {
    const provider = isPropertyMap(inputs['providerConfig'])
      ? providerConfigFailures(inputs['providerConfig'])
      : [];
    return [...keySourceFailures(inputs), ...clientFailures(inputs), ...provider];
  },

  idOf: (mount) => (mount['path'] instanceof Unknown ? undefined : text(mount, 'path')),

  async create(client, inputs) {
    const path = text(inputs, 'path');
    await client.post(`sys/auth/${path}`, {
      type: text(inputs, 'type'),
      description: text(inputs, 'description'),
      local: inputs['local'] === true,
    });
    return path;
  },

  async finish(client, inputs) {
    const path = text(inputs, 'path');
    await client.put(`auth/${path}/config`, writtenConfig(inputs));
    await retune(client, path, writtenTune(undefined, inputs['tune']));
  },

  async read(client, id, declared) {
    const path = text(declared, 'path') || id;
    const mount = await readMount(client, path);
    if (mount === undefined) return undefined;
    const [answer, tuning] = await Promise.all([
      client.read(`auth/${path}/config`),
      client.read(`sys/mounts/auth/${path}/tune`),
    ]);
    // An import knows nothing yet: then, and only then, the mount's own entry says what was given to it.
    const isImport = Object.keys(declared).length === 0;
    // A mount whose config was never written is half made, not gone: the next update writes it.
    const data = answer?.data ?? {};
    const told: PropertyMap = {
      path,
      ...toldValues(mountSchema, mount),
      ...toldValues(settings, data),
      tune: toldTune(isImport ? ownTune(mount['config']) : declared['tune'], tuning?.data ?? {}),
    };
    if (isJsonObject(data['provider_config'])) {
      const known = isPropertyMap(declared['providerConfig']) ? declared['providerConfig'] : {};
      told['providerConfig'] = toldProviderConfig(known, data['provider_config']);
    }
    const found = isImport ? mount['description'] : undefined;
    const basis: PropertyMap = {
      ...declared,
      ...(typeof found === 'string' && found !== '' ? { description: found } : {}),
      // Without a config nothing of it is in force, a secret least of all.
      ...(answer === undefined ? { oidcClientSecret: null } : {}),
    };
    return { ...stateFrom(schema, basis, told), id: path };
  },

  async update(client, id, olds, news) {
    const before = text(olds, 'path') || id;
    const path = text(news, 'path');
    if (path !== before) await remount(client, before, path);
    try {
      // The service resets what a config write leaves out, so the whole of it is written.
      await client.put(`auth/${path}/config`, writtenConfig(news));
      const described = text(olds, 'description') === text(news, 'description');
      await retune(client, path, {
        ...writtenTune(olds['tune'], news['tune']),
        ...(described ? {} : { description: text(news, 'description') }),
      });
    } catch (error) {
      // The mount has moved all the same; the state must know where it is now.
      if (path === before || !(error instanceof GatehouseError)) throw error;
      const properties = { ...olds, path, id: path };
      throw new PluginError(error.message, { id, properties, inputs: news, reasons: [error.message] });
    }
  },

  async delete(client, id, state) {
    await client.delete(`sys/auth/${text(state, 'path') || id}`);
  },

  async findCreated(client, inputs) {
    const path = text(inputs, 'path');
    const mount = await readMount(client, path);
    return mount !== undefined && mount['type'] === inputs['type'] ? [path] : [];
  },
};

async function readMount(client: ServiceClient, path: string): Promise<JsonObject | undefined> {
  try {
    return (await client.read(`sys/auth/${path}`))?.data;
  } catch (error) {
    // A mount that is not there answers 400 rather than 404.
    const isGone =
      error instanceof GatehouseError &&
      error.code === 'service_refused' &&
      /No auth engine at/.test(error.message);
    if (isGone) return undefined;
    throw error;
  }
}

async function retune(client: ServiceClient, path: string, body: JsonObject): Promise<void> {
  if (Object.keys(body).length > 0) await client.post(`sys/mounts/auth/${path}/tune`, body);
}

/** Moves a mount with all it holds, and waits until it has moved: the service only queues it. */
async function remount(client: ServiceClient, from: string, to: string): Promise<void> {
  const { data } = await client.post('sys/remount', { from: `auth/${from}`, to: `auth/${to}` });
  const migration = data['migration_id'];
  if (typeof migration !== 'string') return;
  for (let waited = 0; waited < 60_000; waited += 100) {
    const answer = await client.read(`sys/remount/status/${migration}`);
    const info = answer?.data['migration_info'];
    const status = isJsonObject(info) ? info['status'] : undefined;
    if (status === 'success') return;
    if (status === 'failure') break;
    await sleep(100);
  }
  throw new GatehouseError({
    code: 'remount_failed',
    what: `The auth method at "${from}" could not be moved to "${to}".`,
    fix: "The service's log says why.",
  });
}

function writtenConfig(inputs: PropertyMap): JsonObject {
  const body: JsonObject = {};
  for (const name of Object.keys(config)) {
    const value = inputs[name];
    if (value === undefined || value === null) continue;
    if (name === 'jwksPairs' && Array.isArray(value)) {
      body[toSnakeCase(name)] = value.map((pair) =>
        isPropertyMap(pair) ? Object.fromEntries(entries(pair)) : pair,
      );
    } else {
      body[toSnakeCase(name)] =
        name === 'providerConfig' && isPropertyMap(value) ? writtenProviderConfig(value) : value;
    }
  }
  return body;
}

/** The service wants exactly one; the Terraform source says so in `jwtCustomizeDiff`, the service itself in `path_config.go`. */
function keySourceFailures(inputs: PropertyMap): CheckFailure[] {
  const given = keySources.filter((name) => !isEmpty(inputs[name]));
  if (given.length === 1 || given.some((name) => inputs[name] instanceof Unknown)) return [];
  const found = given.length === 0 ? 'none is given' : `given: ${given.join(', ')}`;
  return [
    { property: given[1] ?? '', reason: `exactly one of ${keySources.join(', ')} must be given; ${found}` },
  ];
}

function clientFailures(inputs: PropertyMap): CheckFailure[] {
  const hasId = !isEmpty(inputs['oidcClientId']);
  const hasSecret = !isEmpty(inputs['oidcClientSecret']);
  if (hasId === hasSecret) return [];
  const missing = hasId ? 'oidcClientSecret' : 'oidcClientId';
  return [{ property: missing, reason: `"${missing}" is missing: a client id and its secret go together` }];
}

const booleans = new Set(['fetch_groups', 'fetch_user_info']);
const integers = new Set(['groups_recurse_max_depth']);
/** Go's `strconv.ParseBool`. */
const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falsehoods = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
/** What the service never tells again. */
const secretKeys = new Set(Object.values(Dialect).map((dialect) => names[dialect].suiteServiceAccount));

/** `providerConfig` holds strings only; those that stand for something else must say it. */
function providerConfigFailures(config: PropertyMap): CheckFailure[] {
  return entries(config).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    const property = `providerConfig.${key}`;
    if (booleans.has(key) && !truths.has(value) && !falsehoods.has(value)) {
      return [{ property, reason: `"${property}" must be "true" or "false"` }];
    }
    if (integers.has(key) && !/^-?\d+$/.test(value)) {
      return [{ property, reason: `"${property}" must be a whole number, in quotes` }];
    }
    return [];
  });
}

/** As the service takes it: booleans and numbers by their own types. */
function writtenProviderConfig(config: PropertyMap): JsonObject {
  return Object.fromEntries(
    entries(config).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      if (booleans.has(key)) return [key, truths.has(value)];
      return [key, integers.has(key) ? Number(value) : value];
    }),
  );
}

/**
 * As the state holds it: all strings. Release 7.8.0 of the official plugin keeps the service's types and finds a
 * difference for ever; later sources turn them into text as well (`normalizeProviderConfigFromVault`). The
 * service account is not told and stays as declared.
 */
function toldProviderConfig(declared: PropertyMap, data: JsonObject): PropertyMap {
  const kept = entries(declared).filter(([key]) => secretKeys.has(key) && !(key in data));
  const told = Object.entries(data).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries([...told, ...kept]);
}
