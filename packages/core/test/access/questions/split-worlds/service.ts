import { Pool } from 'undici';
import { trimmed } from '../../../../src/graph/values/loose-values.ts';
import { isAppRole, templateOf } from './plan.ts';
import { type Kind, type Of, principalId, type Resource, type Resources, textOf } from './world.ts';

export interface Reply {
  status: number;
  data: Record<string, unknown>;
  auth?: {
    client_token: string;
    entity_id: string;
    lease_duration: number;
    /** Of a sign-in that a second factor is asked for: it has no token yet. */
    mfa_requirement?: { mfa_request_id: string };
  };
}

/** Requests to an OpenBao, as they are: what it refuses is an answer. */
export class Requests {
  readonly #pool: Pool;
  readonly #root: string;
  readonly server: { address: string; token: string; namespace?: string };

  constructor(
    server: Requests['server'],
    connections: number,
    pool = new Pool(server.address, { connections }),
  ) {
    this.server = server;
    this.#pool = pool;
    this.#root = server.token;
  }

  /** The same in a namespace of this one, which is made. */
  async within(name: string): Promise<Requests> {
    await this.write(`sys/namespaces/${name}`, {});
    const { namespace: above = '' } = this.server;
    return new Requests({ ...this.server, namespace: trimmed(`${above}/${name}`) }, 0, this.#pool);
  }

  async send(method: string, path: string, body?: object, token = this.#root): Promise<Reply> {
    const { namespace } = this.server;
    const answer = await this.#pool.request({
      method: method as 'GET',
      path: `/v1/${path}`,
      headers: { 'x-vault-token': token, ...(namespace && { 'x-vault-namespace': namespace }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const json = text === '' ? {} : (JSON.parse(text) as Partial<Reply>);
    if (answer.statusCode >= 500) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return { status: answer.statusCode, data: json.data ?? {}, ...(json.auth && { auth: json.auth }) };
  }

  /** A write of the administrator's, which has to be done. */
  async write(path: string, body: object): Promise<Reply['data']> {
    const { status, data } = await this.send('POST', path, body);
    if (status >= 300) throw new Refused(`${path}: ${status} ${JSON.stringify(body)}`);
    return data;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** A service has no such state: two aliases of one name, say. */
export class Refused extends Error {}

/** Mounts first, what refers to others last. */
const order: Kind[] = [
  ...(['mount', 'policy', 'tokenRole', 'entity', 'role', 'user', 'group'] as const),
  ...(['attachment', 'groupAlias', 'entityAlias'] as const),
  ...(['secretId', 'place', 'identityRole', 'guard'] as const),
];

/** The login set-up of one world on an OpenBao. */
export class Service {
  readonly #requests: Requests;
  readonly #prefix: string;
  readonly #keys: readonly string[];
  readonly #ids = new Map<string, string>();
  #there: Resources = new Map();
  /** By the key of its mount: the first that it had. */
  readonly accessors = new Map<string, string>();

  constructor(requests: Requests, prefix: string, keys: readonly string[]) {
    this.#requests = requests;
    this.#prefix = prefix;
    this.#keys = keys;
  }

  /**
   * Deletes what goes, then writes what comes or changes. What is on a mount that is made anew is gone: workspace A does
   * not see that before its next plan, and workspace B writes its half again.
   */
  async apply(
    wanted: Resources,
    replaced: ReadonlySet<string> = new Set(),
    own: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const there = this.#there;
    const byKind = (one: [string, Resource], other: [string, Resource]) =>
      order.indexOf(one[1].kind) - order.indexOf(other[1].kind);
    const gone = [...there].filter(([key]) => !wanted.has(key) || replaced.has(key));
    for (const [key, resource] of gone.sort(byKind).reverse()) await this.#delete(key, resource);
    const changed = [...wanted].sort(byKind).filter(([key, one]) => {
      if (there.get(key) !== one || replaced.has(key)) return true;
      if (own.has(key) && refersTo(one).some((other) => replaced.has(other))) return true;
      if (one.kind === 'group') return one.isAttached;
      if (!('mount' in one) || !replaced.has(one.mount)) return false;
      return own.has(key) === one.kind.endsWith('Alias');
    });
    for (const [key, resource] of changed)
      await this.#write(key, resource, wanted, !there.has(key) || replaced.has(key));
    for (const [key, resource] of changed)
      if (resource.kind === 'group' && !resource.isExternal) await this.#join(key, resource, wanted);
    this.#there = wanted;
  }

  /** A plan's text with the ids and accessors that the service gave to what is there. */
  served(plan: string): string {
    const given = [...this.#there].flatMap(([key, { kind }]): [string, string | undefined][] => {
      if (kind === 'mount') return [[`acc-${key}`, this.#ids.get(key)]];
      return kind === 'guard' ? [['totp', this.#ids.get(key)]] : [[`id-${key}`, this.#ids.get(key)]];
    });
    return given.reduce(
      (text, [planned, id]) =>
        id === undefined ? text : text.replaceAll(new RegExp(`(?<![\\w-])${planned}(?![\\w-])`, 'g'), id),
      plan,
    );
  }

  async #delete(key: string, resource: Resource): Promise<void> {
    const path = this.#pathOf(key, resource);
    if (path !== undefined) await this.#requests.send('DELETE', path);
    this.#ids.delete(key);
    // Its aliases are gone with it.
    for (const [other, one] of this.#there)
      if (one.kind.endsWith('Alias') && refersTo(one).includes(key)) this.#ids.delete(other);
  }

  #pathOf(key: string, resource: Resource): string | undefined {
    const id = this.#ids.get(key);
    switch (resource.kind) {
      case 'policy':
        return `sys/policies/acl/${resource.name}`;
      case 'mount':
        return `sys/auth/${resource.path}`;
      case 'role':
        return `auth/${this.#prefix}${resource.mount}/role/${resource.name}`;
      case 'user': {
        const noun = isAppRole(this.#there, resource.mount) ? 'role' : 'users';
        return `auth/${this.#prefix}${resource.mount}/${noun}/${resource.name}`;
      }
      case 'tokenRole':
        return `auth/token/roles/${resource.name}`;
      case 'attachment':
      case 'secretId':
        return undefined;
      case 'place':
        return `${this.#prefix}k/${resource.at}`;
      case 'identityRole':
        return `identity/oidc/role/${resource.name}`;
      case 'guard':
        return `identity/mfa/login-enforcement/${resource.name}`;
      default:
        return id === undefined ? undefined : `identity/${nouns[resource.kind]}/id/${id}`;
    }
  }

  async #write(key: string, resource: Resource, wanted: Resources, isMade: boolean): Promise<void> {
    const write = (path: string, body: object) => this.#requests.write(path, body);
    const names = (policies: string[]) => policies.map((one) => `${this.#prefix}-${one}`);
    switch (resource.kind) {
      case 'policy':
        await write(`sys/policies/acl/${resource.name}`, {
          policy: this.#withAccessors(textOf(resource.rules)),
        });
        return;
      case 'mount':
        await this.#mount(key, resource);
        return;
      case 'role':
        await write(`auth/${this.#prefix}${resource.mount}/role/${resource.name}`, {
          ...roleBody(resource, isMade),
          token_policies: names(resource.policies),
        });
        return;
      case 'user':
        await this.#user(resource, names(resource.policies), wanted, isMade && this.#there.size > 0);
        return;
      case 'tokenRole':
        await write(`auth/token/roles/${resource.name}`, { allowed_policies: names(resource.policies) });
        return;
      case 'group':
      case 'attachment': {
        const of = resource.kind === 'group' ? key : resource.group;
        const group = wanted.get(of);
        if (group?.kind !== 'group') return;
        const attached = [...wanted.values()].flatMap((one) =>
          one.kind === 'attachment' && one.group === of ? one.policies : [],
        );
        const policies = names(group.isAttached ? attached : group.policies);
        const type = group.isExternal ? 'external' : 'internal';
        await this.#identify(of, 'group', {
          name: group.name,
          type,
          policies,
          metadata: { team: group.team },
        });
        return;
      }
      case 'entity':
        await this.#identify(key, 'entity', {
          name: resource.name,
          policies: names(resource.policies),
          metadata: { team: resource.team },
          disabled: resource.isDisabled === true,
        });
        return;
      case 'groupAlias':
      case 'entityAlias': {
        const owner = this.#ids.get(resource.kind === 'groupAlias' ? resource.group : resource.entity);
        const accessor = this.#ids.get(resource.mount);
        if (owner === undefined || accessor === undefined) return;
        const body = { name: resource.name, mount_accessor: accessor, canonical_id: owner };
        const note = resource.kind === 'entityAlias' && {
          custom_metadata: resource.note === undefined ? {} : { note: resource.note },
        };
        await this.#identify(key, nouns[resource.kind], { ...body, ...note });
        return;
      }
      case 'secretId': {
        const role = this.#roleOf(resource.user, wanted);
        this.#ids.set(key, (await write(`${role}/secret-id`, {}))['secret_id'] as string);
        return;
      }
      case 'place': {
        const secretId = wanted.get(resource.secretId);
        const role = secretId?.kind === 'secretId' ? this.#roleOf(secretId.user, wanted) : '';
        const { data } = await this.#requests.send('GET', `${role}/role-id`);
        const kept = { role_id: data['role_id'], secret_id: this.#ids.get(resource.secretId) };
        await write(`${this.#prefix}k/${resource.at}`, kept);
        return;
      }
      case 'identityRole': {
        const { name, clientId, org } = resource;
        const fields = { key: 'k', client_id: clientId, template: templateOf(org) };
        await write(`identity/oidc/role/${name}`, fields);
        return;
      }
      case 'guard':
        await this.#guard(key, resource);
    }
  }

  /** A plan's accessors are not the service's. */
  #withAccessors(text: string): string {
    return text.replaceAll(/\bacc-(\w+)\b/g, (_, mount: string) => this.accessors.get(mount) ?? 'none');
  }

  /** Makes it, or writes it by its id. */
  async #identify(key: string, noun: string, body: object): Promise<void> {
    const id = this.#ids.get(key);
    const answer = await this.#requests.write(`identity/${noun}${id === undefined ? '' : `/id/${id}`}`, body);
    const given = answer['id'];
    if (typeof given === 'string') this.#ids.set(key, given);
  }

  async #mount(key: string, { path, type, longest = 0, ...trusts }: Of<'mount'>): Promise<void> {
    if (!this.#ids.has(key)) {
      await this.#requests.write(`sys/auth/${path}`, { type });
      const { data } = await this.#requests.send('GET', `sys/auth/${path}`);
      const accessor = data['accessor'] as string;
      this.#ids.set(key, accessor);
      if (!this.accessors.has(key)) this.accessors.set(key, accessor);
    }
    if (type !== 'jwt') return;
    await this.#requests.write(`sys/auth/${path}/tune`, { max_lease_ttl: longest });
    const { address, namespace } = this.#requests.server;
    const own = `${address}/v1/${namespace}/identity/oidc/.well-known/keys`;
    const keys = this.#keys.slice(0, trusts.trustsSecond ? 2 : 1);
    const config = trusts.trustsService ? { jwks_url: own } : { jwt_validation_pubkeys: keys };
    await this.#requests.write(`auth/${path}/config`, config);
  }

  async #user(user: Of<'user'>, policies: string[], wanted: Resources, isAnew: boolean): Promise<void> {
    const { name, mount, cidrs = [] } = user;
    const at = `auth/${this.#prefix}${mount}`;
    const body = { token_policies: policies, token_no_default_policy: true, token_bound_cidrs: cidrs };
    if (!isAppRole(wanted, mount)) {
      await this.#requests.write(`${at}/users/${name}`, { ...body, password: 'secret' });
      return;
    }
    await this.#requests.write(`${at}/role/${name}`, body);
    await this.#requests.write(`${at}/role/${name}/role-id`, { role_id: principalId(user, isAnew) });
  }

  #roleOf(key: string, resources: Resources): string {
    const user = resources.get(key);
    return user?.kind === 'user' ? `auth/${this.#prefix}${user.mount}/role/${user.name}` : '';
  }

  async #guard(key: string, { name, groups, entities, mounts, types }: Of<'guard'>): Promise<void> {
    const ids = (keys: string[]) => keys.flatMap((key) => this.#ids.get(key) ?? []);
    if (!this.#ids.has(key)) {
      const method = await this.#requests.write('identity/mfa/method/totp', { issuer: 'x', period: 30 });
      this.#ids.set(key, method['method_id'] as string);
    }
    await this.#requests.write(`identity/mfa/login-enforcement/${name}`, {
      mfa_method_ids: [this.#ids.get(key)],
      identity_group_ids: ids(groups),
      identity_entity_ids: ids(entities),
      auth_method_accessors: ids(mounts),
      auth_method_types: types,
    });
  }

  async #join(key: string, { members }: Of<'group'>, wanted: Resources): Promise<void> {
    const ids = (kind: Kind) =>
      members.flatMap((one) => (wanted.get(one)?.kind === kind ? (this.#ids.get(one) ?? []) : []));
    const id = this.#ids.get(key);
    const body = { member_entity_ids: ids('entity'), member_group_ids: ids('group') };
    await this.#requests.write(`identity/group/id/${id}`, body);
  }
}

/** Keys of the groups and entities that a resource names by their ids. */
function refersTo(resource: Resource): string[] {
  if ('entity' in resource) return [resource.entity];
  if ('group' in resource) return [resource.group];
  if ('secretId' in resource) return [resource.secretId];
  if (resource.kind === 'guard') return [...resource.groups, ...resource.entities, ...resource.mounts];
  return 'members' in resource ? resource.members : [];
}

const nouns = { group: 'group', entity: 'entity', groupAlias: 'group-alias', entityAlias: 'entity-alias' };

/** The provider's update of a role leaves the mappings that it has where there are none any more. */
function roleBody(role: Of<'role'>, isMade: boolean): object {
  const { readsGroups, hasDefault, subject, org, userClaim, mapsTeam, seconds = 3600 } = role;
  return {
    role_type: 'jwt',
    user_claim: userClaim ?? 'sub',
    bound_audiences: ['x'],
    token_ttl: seconds,
    ...((mapsTeam || isMade) && { claim_mappings: mapsTeam ? { team: 'team' } : {} }),
    bound_subject: subject ?? '',
    bound_claims: org === undefined ? {} : { org },
    groups_claim: readsGroups ? 'groups' : '',
    token_no_default_policy: !hasDefault,
  };
}
