import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterClient } from '../../../client/cluster-client.ts';
import { type ClusterAccess, readKubeconfig } from '../../../client/kubeconfig.ts';
import type { JsonObject } from '../../../client/service-client.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';
import { diffInputs, type PropertyDiff, replacing } from '../../property-diff.ts';
import { holdsUnknown, isPropertyMap, type PropertyMap } from '../../property-value.ts';
import { parseUrn } from '../../urn.ts';
import type * as rpc from '../plugin.ts';
import { notSupported, PluginError, refusing } from '../plugin.ts';
import {
  idOf,
  importedInputs,
  isManagedBy,
  labeled,
  managerIn,
  metadataProperties,
  type ObjectKind,
  objectKinds,
  pathOf,
  pruned,
  stateOf,
} from './object-kind.ts';
import { checkProviderConfig, diffProviderConfig, sourceIn } from './provider-config.ts';

/** Who the fields of our objects belong to (server-side apply). */
const ourManager = 'gatehouse';

/**
 * Our `kubernetes` plugin: the kinds of object that a container orchestrator creates, by server-side apply, in state
 * like the official one's (`@pulumi/kubernetes` 4.34.2). Refuses anything else by name. Unlike the official one, it
 * does not take over an object that is there already: it would delete it in the end.
 *
 * A preview applies each object with `dryRun`, so that what the cluster would refuse is reported before anything is
 * made.
 */
export class KubernetesPlugin implements rpc.Plugin {
  readonly #environment: NodeJS.ProcessEnv;
  #client: ClusterClient | undefined;
  #namespace: string | undefined;

  constructor(environment: NodeJS.ProcessEnv = process.env) {
    this.#environment = environment;
  }

  async checkConfig(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    return checkProviderConfig(request);
  }

  async diffConfig(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    return diffProviderConfig(request, this.#environment);
  }

  async configure({ inputs }: { inputs: PropertyMap }): Promise<void> {
    if (!holdsUnknown(inputs)) {
      await refusing(async () => {
        const access = readKubeconfig(sourceIn(inputs), this.#environment);
        this.#client?.close();
        this.#client = new ClusterClient(access);
      });
      const { namespace } = inputs;
      this.#namespace = typeof namespace === 'string' && namespace ? namespace : undefined;
    }
  }

  async check({ urn, news }: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const kind = kindOf(urn);
    const inputs: PropertyMap = Object.fromEntries(
      Object.entries(news).filter(([, value]) => value !== null && value !== undefined),
    );
    const metadata = isPropertyMap(inputs['metadata']) ? inputs['metadata'] : {};
    const refused = (names: string[], allowed: readonly string[], prefix = '') =>
      names
        .filter((name) => !allowed.includes(name))
        .map((name) => ({
          property: `${prefix}${name}`,
          reason: `"${prefix}${name}" of a ${kind.kind} is not supported by this plugin; use --engine pulumi`,
        }));
    const failures = [
      ...refused(Object.keys(inputs), ['apiVersion', 'kind', 'metadata', ...kind.properties]),
      ...refused(Object.keys(metadata), metadataProperties, 'metadata.'),
    ];
    if (metadata['name'] === undefined && !holdsUnknown(inputs['metadata'])) {
      failures.push({ property: 'metadata.name', reason: 'the name is missing' });
    }
    const namespace = metadata['namespace'] ?? this.#namespace ?? this.#client?.access.namespace;
    if (kind.isNamespaced && namespace !== undefined) inputs['metadata'] = { ...metadata, namespace };
    return { inputs: { ...inputs, apiVersion: kind.apiVersion, kind: kind.kind }, failures };
  }

  async diff({ urn, olds, oldInputs, news, ignoreChanges }: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const kind = kindOf(urn);
    // What was given before and is the cluster's now: so a value that a person changed there differs, too.
    const before = pruned(olds, oldInputs) as PropertyMap;
    const identity = ['metadata.name', 'metadata.namespace'];
    const detailedDiff: Record<string, PropertyDiff> = {};
    const replaces = new Set<string>();
    for (const [path, { kind: difference }] of Object.entries(diffInputs(before, news).detailed)) {
      if (ignoreChanges.some((ignored) => isWithin(path, ignored))) continue;
      const replace = [...identity, ...kind.replaces].some((fixed) => isWithin(path, fixed));
      if (replace) replaces.add(path);
      detailedDiff[path] = { kind: replace ? replacing(difference) : difference, inputDiff: false };
    }
    const diffs = new Set(Object.keys(detailedDiff).map((path) => path.split(/[.[]/)[0] ?? path));
    return {
      changes: diffs.size === 0 ? 'none' : 'some',
      replaces: [...replaces],
      diffs: [...diffs],
      deleteBeforeReplace: replaces.size > 0 && idOf(kind, before) === idOf(kind, news),
      detailedDiff,
    };
  }

  async create({ urn, properties, preview }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const kind = kindOf(urn);
    if (preview && holdsUnknown(properties)) return { id: '', properties };
    const id = idOf(kind, properties);
    return await this.#asking(kind, id, async (client) => {
      const live = await client.get(pathOf(kind, id));
      // One of ours may be about to be replaced.
      if (preview && live !== undefined && isManagedBy(live, ourManager)) return { id: '', properties };
      if (live !== undefined) throw alreadyThere(kind, id, client, urn);
      const object = labeled(properties, ourManager);
      const made = await client.apply(pathOf(kind, id), object, ourManager, preview);
      // A dry run answers with a made-up uid and times.
      if (preview) return { id: '', properties };
      await untilDiscoveryIsOpen(properties, client.access);
      return { id, properties: stateOf(made, properties, ourManager) };
    });
  }

  async read({ urn, id, inputs, properties }: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const kind = kindOf(urn);
    return await this.#asking(kind, id, async (client) => {
      const found = await client.get(pathOf(kind, id));
      if (found === undefined) return { id: '', inputs: {}, properties: {} };
      const live: PropertyMap = { apiVersion: kind.apiVersion, kind: kind.kind, ...(found as PropertyMap) };
      const isImport = Object.keys(inputs).length === 0;
      const now = isImport ? importedInputs(kind, live) : (pruned(live, inputs) as PropertyMap);
      const manager = managerIn(properties) ?? ourManager;
      return { id, inputs: now, properties: stateOf(live as JsonObject, now, manager) };
    });
  }

  async update({ urn, id, olds, news, preview }: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const kind = kindOf(urn);
    if (preview && holdsUnknown(news)) return { properties: news };
    const manager = managerIn(olds) ?? ourManager;
    return await this.#asking(kind, id, async (client) => {
      const object = manager === ourManager ? labeled(news, manager) : news;
      const live = await client.apply(pathOf(kind, id), object, manager, preview);
      if (!preview) await untilDiscoveryIsOpen(news, client.access);
      return { properties: stateOf(live, news, manager) };
    });
  }

  async delete({ urn, id }: rpc.DeleteRequest): Promise<void> {
    const kind = kindOf(urn);
    await this.#asking(kind, id, (client) => client.delete(pathOf(kind, id)));
  }

  async findCreated({ urn, properties }: rpc.FindRequest): Promise<string[]> {
    const kind = kindOf(urn);
    const id = idOf(kind, properties);
    const live = await this.#asking(kind, id, (client) => client.get(pathOf(kind, id)));
    return live !== undefined && isManagedBy(live, ourManager) ? [id] : [];
  }

  async close(): Promise<void> {
    this.#client?.close();
    this.#client = undefined;
  }

  /** Does something in the cluster, and says which permission is missing where it refuses. */
  async #asking<T>(kind: ObjectKind, id: string, work: (client: ClusterClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (client === undefined) {
      throw new PluginError(
        'The kubernetes plugin does not know its cluster yet: its kubeconfig is not known.',
      );
    }
    return await refusing(async () => {
      try {
        return await work(client);
      } catch (error) {
        // A namespace that is being deleted, and a policy of the cluster, are answered in the same way.
        const isUnpermitted =
          error instanceof GatehouseError &&
          error.code === 'cluster_forbidden' &&
          /" cannot \w+ resource|attempting to grant/.test(error.message);
        if (!isUnpermitted) throw error;
        throw new GatehouseError({ ...error.parts, fix: permissionsFor(kind, id), cause: error });
      }
    });
  }
}

function permissionsFor({ kind, resource, isNamespaced }: ObjectKind, id: string): string {
  const where = isNamespaced ? ` in the namespace ${id.split('/')[0]}` : '';
  const grants = kind === 'ClusterRoleBinding' ? ', and "bind" on the cluster role that it names' : '';
  return `Give this user "get", "create", "patch" and "delete" on ${resource}${where}${grants}.`;
}

function alreadyThere(
  { kind }: ObjectKind,
  id: string,
  { access }: ClusterClient,
  urn: string,
): GatehouseError {
  const { type, name } = parseUrn(urn);
  return new GatehouseError({
    code: 'cluster_object_exists',
    what: `the ${kind} ${id} is in the cluster of context ${access.context} already, and Gatehouse did not make it`,
    fix: `Take it over with --import FILE and ${JSON.stringify({ resources: [{ type, name, id }] })} in the file, or do not declare it under \`cluster\`.`,
  });
}

/** Whether a path of a difference is another or below it. */
function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

function kindOf(urn: string): ObjectKind {
  const token = parseUrn(urn).type;
  const kind = objectKinds.get(token);
  if (kind !== undefined) return kind;
  throw notSupported('kubernetes', `the type ${token}`);
}

/** Each API server of a cluster learns of a binding a moment after one of them took it. */
const patienceMs = 5_000;

/**
 * Waits until a binding that opens the issuer's discovery documents to everyone does so: what comes next is the secrets
 * service, which reads them. A cluster that takes no callers without credentials never does; the service will say so.
 */
async function untilDiscoveryIsOpen(
  { roleRef, subjects }: PropertyMap,
  access: ClusterAccess,
): Promise<void> {
  const role = isPropertyMap(roleRef) ? roleRef['name'] : undefined;
  const everyone = (subject: unknown) =>
    isPropertyMap(subject as PropertyMap) && (subject as PropertyMap)['name'] === 'system:unauthenticated';
  if (role !== 'system:service-account-issuer-discovery') return;
  if (!Array.isArray(subjects) || !subjects.some(everyone)) return;
  const anonymous = new ClusterClient({ ...access, token: undefined, clientCertificate: undefined });
  try {
    for (const over = Date.now() + patienceMs; Date.now() < over; await sleep(50)) {
      const document = await anonymous.get('/.well-known/openid-configuration').catch(() => undefined);
      if (document !== undefined) return;
    }
  } finally {
    anonymous.close();
  }
}
