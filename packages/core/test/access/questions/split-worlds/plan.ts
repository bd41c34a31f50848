import { isDeepStrictEqual } from 'node:util';
import type { WorldChange } from './change.ts';
import { type Of, principalId, type Resource, type Resources, textOf, type World } from './world.ts';

type Fields = Record<string, unknown>;

/** Workspace A's Terraform plan, as `terraform show -json` writes it. Workspace B has no part in it. */
export function planOf(world: World, change: WorldChange, trusted: readonly string[]): string {
  const keys = [...world.own].filter((key) => change.before.has(key) || change.after.has(key));
  const plan = new Plan(world, change, trusted);
  return JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.12.2',
    resource_changes: keys.map((key) => plan.entry(key)),
    configuration: {
      provider_config: { vault: { name: 'vault', full_name: 'registry.terraform.io/hashicorp/vault' } },
      root_module: {
        resources: keys.filter((key) => change.after.has(key)).map((key) => plan.configuration(key)),
      },
    },
    complete: true,
    applyable: true,
    errored: false,
  });
}

/** Fields of what is on one side, and what they refer to. */
interface Side {
  fields: Fields;
  /** Keys of resources, by the field that refers to them. */
  references: Record<string, string[]>;
}

class Plan {
  readonly #world: World;
  readonly #change: WorldChange;
  readonly #keys: readonly string[];

  constructor(world: World, change: WorldChange, keys: readonly string[]) {
    this.#world = world;
    this.#change = change;
    this.#keys = keys;
  }

  entry(key: string): object {
    const { before, after, replaced } = this.#change;
    const [old, wanted] = [this.#side(key, before), this.#side(key, after)];
    const resource = (after.get(key) ?? before.get(key)) as Resource;
    const type = typeOf(resource, before.size > 0 ? before : after);
    const unknown: Fields = {};
    if (wanted !== undefined) {
      for (const [field, targets] of Object.entries(wanted.references)) {
        if (!targets.some((target) => this.#isNew(target))) continue;
        unknown[field] = true;
        delete wanted.fields[field];
      }
      if (this.#isNew(key)) {
        for (const given of drawnOf(resource)) {
          unknown[given] = true;
          delete wanted.fields[given];
        }
      }
    }
    const isSame = isDeepStrictEqual(old?.fields, wanted?.fields) && Object.keys(unknown).length === 0;
    const actions =
      old === undefined
        ? ['create']
        : wanted === undefined
          ? ['delete']
          : replaced.has(key)
            ? ['delete', 'create']
            : isSame
              ? ['no-op']
              : ['update'];
    const marks = sensitive[type] ?? {};
    return {
      address: `${type}.${key}`,
      mode: 'managed',
      type,
      name: key,
      provider_name: 'registry.terraform.io/hashicorp/vault',
      change: {
        actions,
        before: old?.fields ?? null,
        after: wanted?.fields ?? null,
        after_unknown: unknown,
        before_sensitive: old === undefined ? false : marks,
        after_sensitive: wanted === undefined ? false : marks,
      },
    };
  }

  configuration(key: string): object {
    const { after } = this.#change;
    const side = this.#side(key, after) as Side;
    const resource = after.get(key) as Resource;
    const type = typeOf(resource, after);
    const drawn = ['id', ...drawnOf(resource)];
    const expressions = Object.fromEntries(
      Object.entries(side.fields)
        .filter(([field, value]) => value !== null && !drawn.includes(field))
        .map(([field, value]) => {
          const own = (side.references[field] ?? []).filter((target) => this.#world.own.has(target));
          if (own.length === 0) return [field, { constant_value: value }];
          const references = own.flatMap((target) => {
            const address = `${typeOf(after.get(target) as Resource, after)}.${target}`;
            return [`${address}.${attributes[field] ?? 'id'}`, address];
          });
          return [field, { references }];
        }),
    );
    const address = `${type}.${key}`;
    return { address, mode: 'managed', type, name: key, provider_config_key: 'vault', expressions };
  }

  /** Whether it gets an id that nobody knows yet. */
  #isNew(key: string): boolean {
    const { before, after, replaced } = this.#change;
    return this.#world.own.has(key) && after.has(key) && (!before.has(key) || replaced.has(key));
  }

  #side(key: string, resources: Resources): Side | undefined {
    const resource = resources.get(key);
    if (resource === undefined) return undefined;
    const side = (fields: Fields, references: Side['references'] = {}): Side => ({
      fields: { id: `id-${key}`, namespace: null, ...fields },
      references: Object.fromEntries(
        Object.entries(references).map(([field, targets]) => [
          field,
          targets.filter((target) => resources.has(target)),
        ]),
      ),
    });
    const names = (policies: string[]) => policies.map((one) => `${this.#world.prefix}-${one}`);
    const path = (mount: string) => `${this.#world.prefix}${mount}`;
    switch (resource.kind) {
      case 'policy':
        return side({ id: resource.name, name: resource.name, policy: textOf(resource.rules) });
      case 'mount': {
        const { path: at, type, trustsSecond, trustsService, longest } = resource;
        const tune = longest === undefined ? [] : [{ max_lease_ttl: `${longest}s` }];
        const keys = this.#keys.slice(0, trustsSecond ? 2 : 1);
        const trusted = trustsService ? { jwks_url: ownKeys } : { jwt_validation_pubkeys: keys };
        const own = type === 'jwt' ? { tune, ...trusted } : {};
        return side({ id: at, path: at, type, accessor: `acc-${key}`, description: null, ...own });
      }
      case 'role':
        return side({
          ...roleFields(resource),
          id: `auth/${path(resource.mount)}/role/${resource.name}`,
          backend: path(resource.mount),
          token_policies: names(resource.policies),
        });
      case 'user': {
        const { name, mount, policies } = resource;
        const at = path(mount);
        if (isAppRole(resources, mount)) {
          return side({
            id: `auth/${at}/role/${name}`,
            backend: at,
            role_name: name,
            role_id: principalId(resource),
            bind_secret_id: true,
            token_policies: names(policies),
            token_no_default_policy: true,
            token_bound_cidrs: resource.cidrs ?? null,
          });
        }
        const data = { password: 'secret', token_no_default_policy: true, token_policies: names(policies) };
        const id = `auth/${at}/users/${name}`;
        return side({ id, path: id, data_json: JSON.stringify(data), ignore_absent_fields: true });
      }
      case 'tokenRole': {
        const { name, policies } = resource;
        const fields = { role_name: name, allowed_policies: names(policies) };
        return side({ id: `auth/token/roles/${name}`, ...fields });
      }
      case 'group': {
        const { name, isExternal, isAttached, policies, members, team } = resource;
        const [groups, entities] = ['group', 'entity'].map((kind) =>
          members.filter((one) => resources.get(one)?.kind === kind),
        ) as [string[], string[]];
        const ids = isExternal
          ? { member_entity_ids: [], member_group_ids: null }
          : { member_entity_ids: entities.map(idOf), member_group_ids: groups.map(idOf) };
        const fields = {
          name,
          type: isExternal ? 'external' : 'internal',
          metadata: { team },
          ...ids,
          external_policies: isAttached ? true : null,
          policies: isAttached ? null : names(policies),
        };
        return side(fields, { member_entity_ids: entities, member_group_ids: groups });
      }
      case 'attachment': {
        const { group, policies } = resource;
        const fields = { group_id: idOf(group), policies: names(policies), exclusive: false };
        return side(fields, { group_id: [group] });
      }
      case 'groupAlias': {
        const { name, mount, group } = resource;
        const fields = { name, mount_accessor: `acc-${mount}`, canonical_id: idOf(group) };
        return side(fields, { mount_accessor: [mount], canonical_id: [group] });
      }
      case 'entity': {
        const { name, policies, team, isDisabled = false } = resource;
        const fields = { name, policies: names(policies), metadata: { team }, disabled: isDisabled };
        return side({ ...fields, external_policies: false });
      }
      case 'entityAlias': {
        const { name, mount, entity, note } = resource;
        const fields = { name, mount_accessor: `acc-${mount}`, canonical_id: idOf(entity) };
        return side(
          { ...fields, custom_metadata: note === undefined ? null : { note } },
          { mount_accessor: [mount], canonical_id: [entity] },
        );
      }
      case 'secretId': {
        const user = resources.get(resource.user);
        if (user?.kind !== 'user') return undefined;
        const fields = { backend: path(user.mount), role_name: user.name, secret_id: `secret-id-of-${key}` };
        return side({ ...fields, accessor: `accessor-${key}` });
      }
      case 'place': {
        const { at, secretId } = resource;
        const data = JSON.stringify({ role_id: 'of the role', secret_id: `secret-id-of-${secretId}` });
        const whole = `${this.#world.prefix}k/${at}`;
        return side({ id: whole, path: whole, data_json: data }, { data_json: [secretId] });
      }
      case 'identityRole': {
        const { name, clientId, org } = resource;
        return side({ id: name, name, key: 'k', client_id: clientId, template: templateOf(org) });
      }
      case 'guard': {
        const { name, groups, entities, mounts, types: kinds } = resource;
        const fields = {
          name,
          mfa_method_ids: ['totp'],
          identity_group_ids: groups.map(idOf),
          identity_entity_ids: entities.map(idOf),
          auth_method_accessors: mounts.map((mount) => `acc-${mount}`),
          auth_method_types: kinds,
        };
        return side(
          { id: name, ...fields },
          { identity_group_ids: groups, identity_entity_ids: entities, auth_method_accessors: mounts },
        );
      }
    }
  }
}

function roleFields({
  name,
  readsGroups,
  hasDefault,
  subject,
  org,
  userClaim,
  mapsTeam,
  seconds = 3600,
}: Of<'role'>): Fields {
  return {
    role_name: name,
    role_type: 'jwt',
    user_claim: userClaim ?? 'sub',
    bound_audiences: ['x'],
    claim_mappings: mapsTeam ? { team: 'team' } : null,
    bound_subject: subject ?? null,
    bound_claims: org === undefined ? null : { org },
    bound_claims_type: 'string',
    groups_claim: readsGroups ? 'groups' : null,
    token_no_default_policy: hasDefault ? null : true,
    token_ttl: seconds,
    token_type: 'default',
  };
}

/** What a resource is referred to by, where that is not its id. */
const attributes: Record<string, string> = {
  mount_accessor: 'accessor',
  auth_method_accessors: 'accessor',
  data_json: 'secret_id',
};

const sensitive: Record<string, Fields> = {
  vault_generic_endpoint: { data_json: true },
  vault_kv_secret: { data_json: true },
  vault_approle_auth_backend_role_secret_id: { secret_id: true },
};

/** Where a service has the keys of its identity tokens. */
const ownKeys = 'https://vault.example.com/v1/identity/oidc/.well-known/keys';

/** What an identity token says beside the standard claims. */
export function templateOf(org: string | undefined): string {
  return org === undefined ? '' : JSON.stringify({ org });
}

/** What the service gives it, and a plan does not know before. */
function drawnOf(resource: Resource): string[] {
  if (resource.kind === 'mount') return ['accessor'];
  if (resource.kind === 'secretId') return ['id', 'secret_id', 'accessor'];
  return resource.kind === 'user' && resource.isDrawn ? ['id', 'role_id'] : ['id'];
}

function idOf(key: string): string {
  return `id-${key}`;
}

export function isAppRole(resources: Resources, mount: string): boolean {
  const found = resources.get(mount);
  return found?.kind === 'mount' && found.type === 'approle';
}

function typeOf(resource: Resource, resources: Resources): string {
  switch (resource.kind) {
    case 'mount':
      return resource.type === 'jwt' ? 'vault_jwt_auth_backend' : 'vault_auth_backend';
    case 'user':
      return isAppRole(resources, resource.mount)
        ? 'vault_approle_auth_backend_role'
        : 'vault_generic_endpoint';
    default:
      return types[resource.kind];
  }
}

const types = {
  tokenRole: 'vault_token_auth_backend_role',
  policy: 'vault_policy',
  role: 'vault_jwt_auth_backend_role',
  group: 'vault_identity_group',
  attachment: 'vault_identity_group_policies',
  groupAlias: 'vault_identity_group_alias',
  entity: 'vault_identity_entity',
  entityAlias: 'vault_identity_entity_alias',
  secretId: 'vault_approle_auth_backend_role_secret_id',
  place: 'vault_kv_secret',
  identityRole: 'vault_identity_oidc_role',
  guard: 'vault_identity_mfa_login_enforcement',
};
