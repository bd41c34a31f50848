import { isDeepStrictEqual } from 'node:util';
import type { ServiceClient } from '../../../../service-client/src/service-client.ts';

/** A resource as a plan has one of its sides. */
export type Side = Record<string, any>;

interface PlannedChange {
  address: string;
  type: string;
  change: { actions: string[]; before: Side | null; after: Side | null; after_unknown?: Side };
}

/** A Terraform plan, as far as it is applied here. */
export interface AppliedPlan {
  resource_changes: PlannedChange[];
  configuration?: {
    root_module: {
      resources: { address: string; expressions?: Record<string, { references?: string[] }> }[];
    };
  };
}

/** What names a resource, or is the plan's own. */
const naming = /^(?:id|backend|path|mount|namespace|role_name|name|username|groupname|team|role|accessor)$/;
const engines: Record<string, string> = { database: 'roles', pki: 'roles', transit: 'keys' };

/** Where a resource is written: the provider's paths (`vault/resource_*.go`); undefined for what is left out here. */
function pathOf(type: string, side: Side): string | undefined {
  const name = side['role_name'] ?? side['name'] ?? side['role'] ?? side['groupname'] ?? side['team'];
  const identity = /^vault_identity_(group|entity)$/.exec(type)?.[1];
  if (identity !== undefined) return `identity/${identity}/name/${name}`;
  const engine = /^vault_(database|pki|transit)_secret_backend_(?:role|key)$/.exec(type)?.[1];
  if (engine !== undefined) return `${side['backend']}/${engines[engine]}/${name}`;
  // OpenBao does not have them.
  if (/^vault_(?:aws|github|ldap)_/.test(type)) return undefined;
  const [, method = '', noun] = /^vault_(\w+)_auth_backend_(role|group)$/.exec(type) ?? [];
  if (method === 'token') return `auth/token/roles/${name}`;
  if (noun !== undefined) return `auth/${side['backend'] ?? method}/${listOf(method, noun)}/${name}`;
  const paths: Record<string, string> = {
    vault_policy: `sys/policies/acl/${name}`,
    vault_auth_backend: `sys/auth/${side['path'] ?? side['type']}`,
    vault_jwt_auth_backend: `auth/${side['path']}/config`,
    vault_kubernetes_auth_backend_config: `auth/${side['backend']}/config`,
    vault_approle_auth_backend_role_secret_id: `auth/${side['backend']}/role/${name}/secret-id`,
    vault_identity_group_alias: 'identity/group-alias',
    vault_identity_entity_alias: 'identity/entity-alias',
    vault_generic_endpoint: side['path'],
    vault_mount: `sys/mounts/${side['path']}`,
    vault_namespace: `sys/namespaces/${side['path']}`,
  };
  return paths[type];
}

function listOf(method: string, noun: string): string {
  if (method === 'cert') return 'certs';
  return noun === 'group' ? 'groups' : 'role';
}

/** Bound claims as the provider sends them: a text of several, by commas. */
function parsed(claims: Side): Side {
  const values = (value: string) => (value.includes(',') ? value.split(',').map((one) => one.trim()) : value);
  return Object.fromEntries(Object.entries(claims).map(([claim, value]) => [claim, values(value)]));
}

/** A service as a plan finds it and leaves it. Keeps the service's ids for those that a plan has. */
export class OnService {
  readonly #client: ServiceClient;
  /** The service's ids and accessors, by what a plan calls them. */
  readonly ids = new Map<string, string>();
  /** The same by the addresses of resources: `vault_identity_group.pay`. */
  readonly #idsByAddress = new Map<string, string>();

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** Makes what a plan has before. */
  async setUp({ resource_changes: changes }: AppliedPlan): Promise<void> {
    for (const { address, type, change } of changes)
      if (change.before !== null) await this.write(type, change.before, address);
  }

  async apply(plan: AppliedPlan): Promise<void> {
    const references = new Map(
      (plan.configuration?.root_module.resources ?? []).map((one) => [one.address, one.expressions ?? {}]),
    );
    for (const { address, type, change } of plan.resource_changes) {
      const { actions, before, after, after_unknown: unknown = {} } = change;
      if (actions.includes('no-op')) continue;
      if (before !== null && actions.includes('delete')) await this.#delete(type, before);
      if (after === null) continue;
      const led = Object.keys(unknown).flatMap((field) => {
        const target = references.get(address)?.[field]?.references?.at(-1)?.split('.').slice(0, 2).join('.');
        const id = target && this.#idsByAddress.get(target);
        return id === undefined ? [] : [[field, /_ids$/.test(field) ? [id] : id]];
      });
      await this.write(type, { ...after, ...Object.fromEntries(led) }, address, before ?? {});
    }
  }

  /** @param before what it had: a field that goes is written as nothing, as the provider does */
  async write(type: string, side: Side, address = '', before: Side = {}): Promise<void> {
    const path = pathOf(type, side);
    if (type === 'vault_jwt_auth_backend') await this.#mount(side['path'], side['type'] ?? 'jwt');
    if (/_(?:policies|ids)$/.test(type)) return this.#attach(type, side);
    if (path === undefined) return;
    const body = this.#resolved(type === 'vault_generic_endpoint' ? JSON.parse(side['data_json']) : side);
    for (const [field, value] of Object.entries(before))
      if (value !== null && (side[field] ?? null) === null && !naming.test(field))
        body[field] = nothing(value);
    if (side['bound_claims']) body['bound_claims'] = parsed(side['bound_claims']);
    const isMade = Object.keys(before).length === 0;
    if (type === 'vault_auth_backend' || (type === 'vault_mount' && isMade)) {
      await this.#mount(path.slice('sys/auth/'.length), body['type'], path);
    } else if (type !== 'vault_mount') {
      const { data } = await this.#client.put(path, body);
      if (address !== '' && data?.['id'] !== undefined) this.#idsByAddress.set(address, String(data['id']));
    }
    const read = /^identity\/\w+\/name/.test(path)
      ? path
      : path.replace(/^auth\/(.*)\/config$/, 'sys/auth/$1');
    if (!/^(?:identity\/\w+\/name|sys\/auth)/.test(read)) return;
    const { id, accessor = id } = (await this.#client.read(read))?.data ?? {};
    this.#idsByAddress.set(address, String(accessor));
    const given = side['accessor'] ?? side['id'];
    if (given !== undefined) this.ids.set(given, String(accessor));
  }

  async #mount(name: string, type: string, path = `sys/auth/${name}`): Promise<void> {
    const isThere = await this.#client.read(path).then(
      (found) => found !== undefined,
      () => false,
    );
    if (!isThere) await this.#client.post(path, { type });
  }

  async #delete(type: string, side: Side): Promise<void> {
    const path = pathOf(type, side);
    // It goes with its role, or by another credential.
    if (path === undefined || path.endsWith('/secret-id')) return;
    if (!/-alias$/.test(path)) return this.#client.delete(path);
    const { mount_accessor: accessor, name } = withIds(side, this.ids);
    const all = (await this.#client.list(`${path}/id`))?.data['key_info'] as Record<string, Side>;
    const isIt = ([, one]: [string, Side]) => one['name'] === name && one['mount_accessor'] === accessor;
    await this.#client.delete(`${path}/id/${Object.entries(all).find(isIt)?.[0]}`);
  }

  /** Adds policies or members to those of a group or an entity. */
  async #attach(type: string, side: Side): Promise<void> {
    const kind = type.includes('_group_') ? 'group' : 'entity';
    const path = `identity/${kind}/id/${this.ids.get(side[`${kind}_id`]) ?? side[`${kind}_id`]}`;
    const found = (await this.#client.read(path))?.data ?? {};
    const body = Object.entries(this.#resolved(side)).filter(([field]) => field in found && field !== 'id');
    const sum = ([field, added]: [string, any]) => [field, [...((found[field] as any[]) ?? []), ...added]];
    await this.#client.put(path, Object.fromEntries(body.map(sum)));
  }

  /** What is sent: without what names it, with the service's own ids. */
  #resolved(side: Side): Side {
    const known = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(known) : (this.ids.get(value as string) ?? value);
    const isAlias = 'mount_accessor' in side;
    return Object.fromEntries(
      Object.entries(side)
        .filter(([field]) => side['type'] !== 'external' || !/^member/.test(field))
        .filter(([field, value]) => value !== null && (!naming.test(field) || (isAlias && field === 'name')))
        .map(([field, value]) => [field, known(value)]),
    );
  }
}

function nothing(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return {};
  return typeof value === 'string' ? '' : typeof value === 'number' ? 0 : false;
}

/** A plan with the service's ids in the place of its own. */
export function withIds<Plan>(plan: Plan, ids: ReadonlyMap<string, string>): Plan {
  const replaced = (_: string, value: unknown) => ids.get(value as string) ?? value;
  const rewritten: Plan = JSON.parse(JSON.stringify(plan, replaced));
  return isDeepStrictEqual(rewritten, plan) ? plan : rewritten;
}
