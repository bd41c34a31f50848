import { isDeepStrictEqual } from 'node:util';
import { resources } from '@gatehouse/core/graph';
import { terraformName } from '@gatehouse/core/review';
import { GatehouseError, objectIn } from '@gatehouse/core/values';
import type { ServiceClient } from '@gatehouse/service-client';
import { diffInputs } from '../../property-diff.ts';
import type { PropertyMap } from '../../property-value.ts';
import { parseUrn } from '../../urn.ts';
import type * as rpc from '../plugin.ts';
import { messageOf, notSupported, PluginError, refusing } from '../plugin.ts';
import { authBackend } from './auth-backend.ts';
import { authBackendRole } from './auth-backend-role.ts';
import { checkInputs } from './check.ts';
import { type Connection, connect } from './connection.ts';
import { diffProperties, withEmptied, withoutIgnored } from './diff.ts';
import { endpoint } from './endpoint.ts';
import { group } from './group.ts';
import { groupAlias } from './group-alias.ts';
import { namedType } from './named.ts';
import { namespace } from './namespace.ts';
import { checkProviderConfig, knownProviderConfig } from './provider-config.ts';
import type { VaultResourceType } from './resource-type.ts';
import { defaultsKey, type Schema, text } from './schema.ts';
import { importedInputs, plannedState, refreshedInputs, updatedState } from './state.ts';
import { uiCustomMessage } from './ui-custom-message.ts';

const named = resources.flatMap((resource) => namedType(resource) ?? []);
const all = [authBackend, authBackendRole, endpoint, group, groupAlias, namespace, uiCustomMessage, ...named];
const types = new Map(all.map((type) => [type.token, type]));
/** Where the bridge keeps the version of a state's schema (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`). */
const metaKey = '__meta';

/**
 * Our `vault` plugin: the eight resource types used here, compatible in state and behavior with the official one
 * (`@pulumi/vault` 7.8.0, which is hashicorp/terraform-provider-vault behind pulumi/pulumi-terraform-bridge). Refuses
 * anything else by name.
 */
export class VaultPlugin implements rpc.Plugin {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #services: readonly string[] | undefined;
  #config: PropertyMap | undefined;
  #connection: Connection | undefined;
  /** Clients with their own settings, by these. */
  readonly #clients = new Map<string, ServiceClient>();

  /**
   * @param connection to use. Defaults to one that `configure` makes.
   * @param services origins that the environment's token may go to. Defaults to any.
   */
  constructor(
    environment: NodeJS.ProcessEnv = process.env,
    connection?: Connection,
    services?: readonly string[],
  ) {
    this.#environment = environment;
    this.#services = services;
    this.#connection = connection;
  }

  /** Whether it has a type of resource, by its token in Pulumi. */
  static makes(token: string): boolean {
    return types.has(token);
  }

  async checkConfig(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    return checkProviderConfig(request);
  }

  async diffConfig({ oldInputs, news }: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { keys: diffs } = diffInputs(oldInputs, news);
    const changes = diffs.length === 0 ? 'none' : 'some';
    return { changes, replaces: [], diffs, deleteBeforeReplace: false };
  }

  /** Connects once: resources of one provider are never written to the service of another. */
  async configure({ inputs }: { inputs: PropertyMap }): Promise<void> {
    const config = knownProviderConfig(inputs);
    if (config === undefined) return;
    this.#config ??= config;
    if (!isDeepStrictEqual(this.#config, config)) {
      throw new PluginError(
        'The vault plugin is already configured for another provider: each provider needs a plugin of its own.',
      );
    }
    this.#connection ??= await refusing(() => connect(config, this.#environment, this.#services));
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const type = typeOf(request.urn);
    const { inputs, failures } = checkInputs(type.schema, request);
    return { inputs, failures: [...failures, ...(type.check?.(inputs, this.#connection?.version) ?? [])] };
  }

  async diff({ urn, olds, ...request }: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const type = typeOf(urn);
    refuseLaterSchema(type, olds);
    const resolved = wantedOf(type.schema, olds, request);
    // The program may ask for a replacement that the plugin does not (`replaceOnChanges`).
    return {
      ...diffProperties(type.schema, olds, resolved),
      deleteBeforeReplace: keepsIdentity(type, olds, resolved),
    };
  }

  async create({ urn, properties, preview, timeout }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const type = typeOf(urn);
    if (preview) return { id: '', properties: plannedState(type.schema, properties) };
    const client = this.#client(properties, timeout);
    const created = await refusing(() => type.create(client, properties));
    const { id } = created;
    const declared = { ...properties, ...created };
    try {
      await type.finish?.(client, properties);
      return { id, properties: await readBack(type, client, id, declared) };
    } catch (error) {
      const live = await type.read(client, id, declared).catch(() => undefined);
      const state = live ?? updatedState(type.schema, created, properties);
      throw incomplete(error, { id, properties: versioned(type, state), inputs: properties });
    }
  }

  async read({ urn, id, inputs, properties }: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const type = typeOf(urn);
    // An import must not take values that the service does not return from the program: they were never written.
    const isImport = Object.keys(properties).length === 0;
    const { namespace } = inputs;
    const declared = !isImport ? properties : namespace === undefined ? {} : { namespace };
    refuseLaterSchema(type, properties);
    const client = this.#client(declared, 0);
    const state = await refusing(
      async () =>
        (await type.read(client, id, declared)) ??
        (isImport ? undefined : await readAnew(type, client, inputs, declared)),
    );
    if (state === undefined) return { id: '', inputs: {}, properties: {} };
    return {
      id: text(state, 'id') || id,
      properties: versioned(type, state),
      inputs: isImport ? importedInputs(type.schema, state) : refreshedInputs(type.schema, inputs, state),
    };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const { urn, id, olds, preview, timeout } = request;
    const type = typeOf(urn);
    refuseLaterSchema(type, olds);
    const news = wantedOf(type.schema, olds, request);
    if (preview) return { properties: plannedState(type.schema, news, olds) };
    const client = this.#client(olds, timeout);
    const answered = await refusing(() => type.update(client, id, olds, news));
    const known = { ...olds, ...answered, id: type.idOf?.(news) ?? id };
    const written = updatedState(type.schema, known, news);
    try {
      return { properties: await readBack(type, client, id, written) };
    } catch (error) {
      throw incomplete(error, { id, properties: versioned(type, written), inputs: news });
    }
  }

  async delete({ urn, id, properties, timeout }: rpc.DeleteRequest): Promise<void> {
    const type = typeOf(urn);
    await refusing(() => type.delete(this.#client(properties, timeout), id, properties));
  }

  async findCreated({ urn, properties }: rpc.FindRequest): Promise<string[]> {
    return await refusing(() => typeOf(urn).findCreated(this.#client(properties, 0), properties));
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#clients.clear();
    await connection?.close();
  }

  /** The client for a resource, in its namespace. */
  #client(properties: PropertyMap, timeoutSeconds: number): ServiceClient {
    if (this.#connection === undefined) {
      throw new PluginError(
        'The vault plugin does not know its secrets service yet: its address or token comes from a resource ' +
          'that has not been created.',
      );
    }
    const { client } = this.#connection;
    const { namespace } = properties;
    const inner = typeof namespace === 'string' && namespace !== '' ? { namespace } : {};
    const timeout = timeoutSeconds > 0 ? { timeoutMs: timeoutSeconds * 1000 } : {};
    const settings = { ...inner, ...timeout };
    if (Object.keys(settings).length === 0) return client;
    // Clients with the same settings share what they know of the service (`groupNames`).
    const key = JSON.stringify(settings);
    const own = this.#clients.get(key) ?? client.with(settings);
    this.#clients.set(key, own);
    return own;
  }
}

/** The new inputs, with what is ignored as it was, and what is no longer declared empty. */
function wantedOf(
  schema: Schema,
  olds: PropertyMap,
  { news, oldInputs, ignoreChanges }: Pick<rpc.DiffRequest, 'news' | 'oldInputs' | 'ignoreChanges'>,
): PropertyMap {
  return withoutIgnored(schema, olds, withEmptied(schema, oldInputs, news), ignoreChanges);
}

/**
 * Whether a replacement would have the same identity, so that the old resource must be deleted first. A name from the program
 * does too, as in the bridge (`nameRequiresDeleteBeforeReplace`); an unknown id may be the same.
 */
function keepsIdentity({ schema, idOf }: VaultResourceType, olds: PropertyMap, news: PropertyMap): boolean {
  const id = idOf?.(news);
  if (idOf !== undefined) return id === undefined || id === idOf(olds);
  const defaults = news[defaultsKey];
  return Object.entries(schema).some(
    ([name, { autonamed }]) => autonamed && Array.isArray(defaults) && !defaults.includes(name),
  );
}

/**
 * The resource exists as written, so the state must have it, with what was written where it cannot be read: of a state
 * with its id alone, the next `up` would find everything different, and replace it.
 */
function incomplete(error: unknown, written: Omit<rpc.PartialFailure, 'reasons'>): PluginError {
  const message = messageOf(error);
  return new PluginError(message, { ...written, reasons: [message] }, { cause: error });
}

/**
 * What has been deleted and made anew by hand: with another id, and otherwise the same. Like an interrupted create, it is
 * found by its name. Where the token may not look, it counts as gone.
 */
async function readAnew(
  type: VaultResourceType,
  client: ServiceClient,
  inputs: PropertyMap,
  declared: PropertyMap,
): Promise<PropertyMap | undefined> {
  const [id, ...rest] = await type.findCreated(client, inputs).catch((error: unknown) => {
    if (error instanceof GatehouseError && error.code === 'permission_denied') return [];
    throw error;
  });
  return id === undefined || rest.length > 0 ? undefined : await type.read(client, id, declared);
}

async function readBack(
  type: VaultResourceType,
  client: ServiceClient,
  id: string,
  declared: PropertyMap,
): Promise<PropertyMap> {
  const state = await type.read(client, id, declared);
  if (state !== undefined) return versioned(type, state);
  throw new GatehouseError('write_lost', { values: { type: type.token, id } });
}

function typeOf(urn: string): VaultResourceType {
  const token = parseUrn(urn).type;
  const type = types.get(token);
  if (type !== undefined) return type;
  throw notSupported('vault', `the type ${token}`);
}

/** A state with the version of its schema. The first one, 0, is not written. */
function versioned({ schemaVersion = 0 }: VaultResourceType, state: PropertyMap): PropertyMap {
  if (schemaVersion === 0) return state;
  return { ...state, [metaKey]: JSON.stringify({ schema_version: String(schemaVersion) }) };
}

/**
 * Refuses a state of a later schema, as the bridge does in the same words (`pkg/tfshim/sdk-v2/upgrade_state.go`). It may be
 * the state of another type, by an alias in the program.
 */
function refuseLaterSchema({ token, schemaVersion = 0 }: VaultResourceType, state: PropertyMap): void {
  const meta = state[metaKey];
  const version = Number((typeof meta === 'string' ? objectIn(meta) : undefined)?.['schema_version'] ?? 0);
  if (version <= schemaVersion) return;
  throw new PluginError(
    `State version ${version} is greater than schema version ${schemaVersion} for resource ` +
      `${terraformName(token)}. Please upgrade the provider to work with this resource.`,
  );
}
