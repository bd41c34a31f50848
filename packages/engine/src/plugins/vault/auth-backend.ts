import { setTimeout as sleep } from 'node:timers/promises';
import { configFields } from '@gatehouse/core/graph';
import { Dialect, GatehouseError, isObject, names, toSnakeCase } from '@gatehouse/core/values';
import type { JsonObject, ServiceClient } from '@gatehouse/service-client';
import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import { type CheckFailure, PluginError } from '../plugin.ts';
import type { VaultResourceType } from './resource-type.ts';
import { entries, isEmpty, namespaceProperty, type Schema, schemaOf, text, toldValues } from './schema.ts';
import { stateFrom } from './state.ts';
import { ownTune, toldTune, tuneProperty, writtenTune } from './tune.ts';

/** The service trims list elements: a PEM key loses its last line break. */
const trim = (value: string) => value.trim();

/** The properties of `auth/<path>/config`. */
const config = schemaOf(
  configFields,
  {
    oidcResponseMode: { oneOf: [...configFields.oidcResponseMode.schema.options, ''] },
    oidcResponseTypes: { oneOf: configFields.oidcResponseTypes.schema.element.options, normal: trim },
    // The official plugin has these as lists, so their order matters.
    jwtValidationPubkeys: { type: 'list', normal: trim },
    jwtSupportedAlgs: { type: 'list', normal: trim },
  },
  ['namespaceInState'],
);

/** The properties of the config without `providerConfig`, whose values are converted to text. */
const { providerConfig: _, ...settings } = config;

const writeOnly =
  'give the secret as oidcClientSecret, from a secret of the stack; it is encrypted in the state';

/** The properties of the mount. */
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
  // Read from the mount, which the official plugin does not do.
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
export const authBackend: VaultResourceType = {
  token: 'vault:jwt/authBackend:AuthBackend',
  schema,
  schemaVersion: 1,

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
    return { id: path };
  },

  async finish(client, inputs) {
    const path = text(inputs, 'path');
    await client.put(`auth/${path}/config`, writtenConfig(inputs));
    await retune(client, path, writtenTune(undefined, inputs['tune']));
  },

  async read(client, id, declared) {
    const live = await findMount(client, id, declared);
    if (live === undefined) return undefined;
    const { path, mount } = live;
    const [answer, tuning] = await Promise.all([
      client.read(`auth/${path}/config`),
      client.read(`sys/mounts/auth/${path}/tune`),
    ]);
    // Only an import, which has no state yet, takes the tuning from the mount.
    const isImport = Object.keys(declared).length === 0;
    // A mount without config is incomplete, not gone: the next update writes the config.
    const data = answer?.data ?? {};
    const read: PropertyMap = {
      path,
      ...toldValues(mountSchema, mount),
      ...toldValues(settings, data),
      tune: toldTune(
        isImport ? ownTune(mount['config']) : declared['tune'],
        tuning?.data ?? {},
        isObject(mount['config']) ? mount['config'] : {},
      ),
    };
    if (isObject(data['provider_config'])) {
      const known = isPropertyMap(declared['providerConfig']) ? declared['providerConfig'] : {};
      read['providerConfig'] = toldProviderConfig(known, data['provider_config']);
    }
    const described = mount['description'];
    const basis: PropertyMap = {
      ...declared,
      ...(typeof described === 'string' &&
        described !== text(declared, 'description') && { description: described }),
      // Without a config, the declared secret is not in force.
      ...(answer === undefined && { oidcClientSecret: null }),
    };
    return { ...stateFrom(schema, basis, read), id: path };
  },

  async update(client, id, olds, news) {
    const before = text(olds, 'path') || id;
    const path = text(news, 'path');
    if (path !== before) {
      const mounted = await findMount(client, id, olds);
      const current = mounted?.path ?? before;
      if (current !== path) await remount(client, current, path);
    }
    try {
      // The service resets what a config write omits, so all of it is written.
      await client.put(`auth/${path}/config`, writtenConfig(news));
      const described = text(olds, 'description') === text(news, 'description');
      await retune(client, path, {
        ...writtenTune(olds['tune'], news['tune']),
        description: described ? undefined : text(news, 'description'),
      });
    } catch (error) {
      // The mount has moved, so the state needs its new path.
      if (path === before || !(error instanceof GatehouseError)) throw error;
      const properties = { ...olds, path, id: path };
      throw new PluginError(error.message, { id, properties, inputs: news, reasons: [error.message] });
    }
  },

  async delete(client, id, state) {
    const live = await findMount(client, id, state);
    if (live !== undefined) await client.delete(`sys/auth/${live.path}`);
  },

  async findCreated(client, inputs) {
    const path = text(inputs, 'path');
    const mount = await readMount(client, path);
    return mount !== undefined && mount['type'] === inputs['type'] ? [path] : [];
  },
};

/**
 * The mount of a state, by its accessor. A mount that was moved, by hand or by an update that did not finish, keeps the
 * accessor. A state without one names the mount at its path.
 */
async function findMount(
  client: ServiceClient,
  id: string,
  state: PropertyMap,
): Promise<{ path: string; mount: JsonObject } | undefined> {
  const path = text(state, 'path') || id;
  const mount = await readMount(client, path);
  const { accessor } = state;
  const remount =
    typeof accessor === 'string' && mount?.['accessor'] !== accessor
      ? Object.entries(await readMounts(client)).find(
          (entry): entry is [string, JsonObject] => isObject(entry[1]) && entry[1]['accessor'] === accessor,
        )
      : undefined;
  if (remount !== undefined) return { path: remount[0].replace(/\/$/, ''), mount: remount[1] };
  return mount && { path, mount };
}

/** All mounts; none if the token may not list them. The token of docs/deploying-token.hcl may not, nor may it move a mount. */
async function readMounts(client: ServiceClient): Promise<JsonObject> {
  try {
    return (await client.read('sys/auth'))?.data ?? {};
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'permission_denied') return {};
    throw error;
  }
}

async function readMount(client: ServiceClient, path: string): Promise<JsonObject | undefined> {
  try {
    return (await client.read(`sys/auth/${path}`))?.data;
  } catch (error) {
    // The service answers 400, not 404, for a mount that does not exist.
    const isGone =
      error instanceof GatehouseError &&
      error.code === 'service_refused' &&
      /No auth engine at/.test(error.message);
    if (isGone) return undefined;
    throw error;
  }
}

async function retune(client: ServiceClient, path: string, body: JsonObject): Promise<void> {
  if (Object.values(body).some((value) => value !== undefined))
    await client.post(`sys/mounts/auth/${path}/tune`, body);
}

/** Moves a mount and waits, because the service only queues the move. */
async function remount(client: ServiceClient, from: string, to: string): Promise<void> {
  const { data } = await client.post('sys/remount', { from: `auth/${from}`, to: `auth/${to}` });
  const migration = data['migration_id'];
  if (typeof migration !== 'string') return;
  for (let waited = 0; waited < 60_000; waited += 100) {
    const answer = await client.read(`sys/remount/status/${migration}`);
    const info = answer?.data['migration_info'];
    const status = isObject(info) ? info['status'] : undefined;
    if (status === 'success') return;
    if (status === 'failure') break;
    await sleep(100);
  }
  throw new GatehouseError('remount_failed', { values: { from, to } });
}

function writtenConfig(inputs: PropertyMap): JsonObject {
  const body: JsonObject = {};
  for (const name of Object.keys(config)) {
    const value = inputs[name];
    if (value === undefined || value === null) continue;
    body[toSnakeCase(name)] = writtenSetting(name, value);
  }
  return body;
}

function writtenSetting(name: string, value: PropertyValue): unknown {
  if (name === 'providerConfig' && isPropertyMap(value)) return writtenProviderConfig(value);
  if (name !== 'jwksPairs' || !Array.isArray(value)) return value;
  return value.map((pair) => (isPropertyMap(pair) ? Object.fromEntries(entries(pair)) : pair));
}

/** The service requires exactly one: `jwtCustomizeDiff` in the Terraform source, `path_config.go` in the service's. */
function keySourceFailures(inputs: PropertyMap): CheckFailure[] {
  const sources = keySources.filter((name) => !isEmpty(inputs[name]));
  if (sources.length === 1 || sources.some((name) => inputs[name] instanceof Unknown)) return [];
  const problem = sources.length === 0 ? 'none is given' : `given: ${sources.join(', ')}`;
  return [
    {
      property: sources[1] ?? '',
      reason: `exactly one of ${keySources.join(', ')} must be given; ${problem}`,
    },
  ];
}

function clientFailures(inputs: PropertyMap): CheckFailure[] {
  const hasId = !isEmpty(inputs['oidcClientId']);
  const hasSecret = !isEmpty(inputs['oidcClientSecret']);
  if (hasId === hasSecret) return [];
  const missing = hasId ? 'oidcClientSecret' : 'oidcClientId';
  return [{ property: missing, reason: `"${missing}" is missing: a client id and its secret go together` }];
}

/** A setting that the service takes as a boolean or a number: which texts are valid, and the value of a text. */
interface TypedSetting {
  must: string;
  is: RegExp;
  value(text: string): boolean | number;
}
/** Go's `strconv.ParseBool`. */
const flag: TypedSetting = {
  must: '"true" or "false"',
  is: /^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/,
  value: (text) => /^[1tT]/.test(text),
};
const integer: TypedSetting = { must: 'a whole number, in quotes', is: /^-?\d+$/, value: Number };
const typed = new Map<string, TypedSetting>([
  ['fetch_groups', flag],
  ['fetch_user_info', flag],
  ['groups_recurse_max_depth', integer],
]);
/** Settings that the service never returns. */
const secretKeys = new Set(Object.values(Dialect).map((dialect) => names[dialect].suiteServiceAccount));

/** `providerConfig` has only strings. */
function providerConfigFailures(config: PropertyMap): CheckFailure[] {
  return entries(config).flatMap(([key, value]) => {
    const type = typed.get(key);
    if (typeof value !== 'string' || type === undefined || type.is.test(value)) return [];
    const property = `providerConfig.${key}`;
    return [{ property, reason: `"${property}" must be ${type.must}` }];
  });
}

/** The provider config for the service, with booleans and numbers. */
function writtenProviderConfig(config: PropertyMap): JsonObject {
  const written = entries(config).map(([key, value]) => {
    return [key, typeof value === 'string' ? (typed.get(key)?.value(value) ?? value) : value];
  });
  return Object.fromEntries(written);
}

/**
 * The provider config for the state, as strings. Release 7.8.0 of the official plugin keeps the service's types and always finds a
 * difference; later sources convert them too (`normalizeProviderConfigFromVault`). The service account is not returned
 * and stays as declared.
 */
function toldProviderConfig(declared: PropertyMap, data: JsonObject): PropertyMap {
  const kept = entries(declared).filter(([key]) => secretKeys.has(key) && !(key in data));
  const read = Object.entries(data).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries([...read, ...kept]);
}
