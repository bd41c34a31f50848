import { Acl } from '../../../../src/graph/policies/acl.ts';
import { parsePolicy } from '../../../../src/graph/policies/parse-policy.ts';
import { uidOf } from './ask.ts';
import { askedIn, nameOf } from './asked.ts';
import type { WorldChange } from './change.ts';
import { type Of, type Person, principalId, type Resources, textOf, type World } from './world.ts';

/**
 * Whether someone newly gets something, as a walk through the resources has it: who signs in where, in which groups, with
 * which policies. It only chooses worlds that are worth asking about. It knows nothing of the review.
 */
export function isGain(world: World, { before, after, replaced }: WorldChange): boolean {
  const is = new Walk(world, withLeft(before, after, replaced), replaced);
  const was = new Walk(world, before, new Set());
  return world.people.some((person) => {
    const had = was.allowed(person);
    return [...is.allowed(person)].some(([by, has]) => [...has].some((one) => !had.get(by)?.has(one)));
  });
}

/** The provider's update of a role leaves the mappings that it has where there are none any more. */
function withLeft(before: Resources, after: Resources, replaced: ReadonlySet<string>): Resources {
  return new Map(
    [...after].map(([key, one]) => {
      const old = before.get(key);
      const isLeft = one.kind === 'role' && old?.kind === 'role' && old.mapsTeam && !replaced.has(key);
      return [key, isLeft ? { ...one, mapsTeam: true } : one];
    }),
  );
}

/** Who somebody is once signed in. */
interface Identity {
  entity?: string;
  groups: string[];
}

class Walk {
  readonly #world: World;
  readonly #resources: Resources;
  readonly #gone: ReadonlySet<string>;
  readonly #known = new Map<string, ReadonlySet<string>>();

  /** @param gone keys of what was made anew: what hung on it does no longer */
  constructor(world: World, resources: Resources, gone: ReadonlySet<string>) {
    this.#world = world;
    this.#resources = resources;
    this.#gone = gone;
  }

  /** What a person gets, by the role, with the groups of any sign-ins, and with what is read there. */
  allowed(person: Person): Map<string, Set<string>> {
    const found = this.#allowedAtOnce(person);
    if (this.#world.hasCredentials) for (const all of found.values()) this.#follow(all);
    return found;
  }

  /** Adds what is got by signing in with what is read. */
  #follow(all: Set<string>): void {
    const { prefix } = this.#world;
    for (let size = -1; size !== all.size; ) {
      size = all.size;
      for (const one of this.#resources.values()) {
        if (one.kind === 'place' && all.has(`GET ${prefix}k/${one.at}`)) {
          const secretId = this.#resources.get(one.secretId);
          const user = secretId?.kind === 'secretId' ? this.#resources.get(secretId.user) : undefined;
          if (user?.kind === 'user') this.#enter(all, user);
        }
        if (one.kind === 'identityRole' && all.has(`GET identity/oidc/token/${one.name}`))
          for (const [, role] of this.#all('role')) {
            const isLetIn = role.mount === 's' && one.clientId === 'x' && (role.org ?? one.org) === one.org;
            if (isLetIn && !this.#isGuarded('s')) this.#add(all, role.policies, { groups: [] }, role);
          }
      }
    }
  }

  #enter(all: Set<string>, user: Of<'user'>): void {
    const identity = this.#identityAt(user.mount, principalId(user));
    if (identity !== undefined) this.#add(all, user.policies, identity);
  }

  /** Whether a second factor is asked for there: of a group, as its members are by the resources. */
  #isGuarded(mount: string, entity?: string): boolean {
    const at = this.#resources.get(mount);
    const around = this.#around(entity === undefined ? [] : [entity]);
    return [...this.#resources.values()].some((one) => {
      if (one.kind !== 'guard') return false;
      if (one.mounts.includes(mount) || (at?.kind === 'mount' && one.types.includes(at.type))) return true;
      return [...one.groups, ...one.entities].some((key) => around.has(key));
    });
  }

  #allowedAtOnce(person: Person): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    const roles = this.#all('role').filter(([, role]) => this.#isLetIn(person, role));
    for (const [key, role] of roles) {
      const identity = this.#identityAt(role.mount, role.userClaim ? uidOf(person.name) : person.name);
      if (identity === undefined) continue;
      const all = new Set(this.#lifeOf(role));
      const states = [[], ...roles.map(([, other]) => this.#groupsBy(person, other))];
      for (const groups of states) {
        for (const groupNames of [groups, [...groups, ...this.#groupsBy(person, role)]])
          this.#add(all, role.policies, { ...identity, groups: groupNames }, role);
      }
      found.set(key, all);
    }
    for (const [key, user] of this.#all('user')) {
      if (user.name !== person.name || user.cidrs?.includes('10.0.0.0/8')) continue;
      const identity = this.#identityAt(user.mount, principalId(user, this.#gone.has(key)));
      if (identity === undefined) continue;
      const all = new Set<string>();
      for (const groups of [[], ...roles.map(([, other]) => this.#groupsBy(person, other))])
        this.#add(all, user.policies, { ...identity, groups });
      found.set(key, all);
    }
    return found;
  }

  #all<K extends 'role' | 'user' | 'group' | 'tokenRole'>(kind: K): [string, Of<K>][] {
    return [...this.#resources].flatMap(([key, one]) => (one.kind === kind ? [[key, one as Of<K>]] : []));
  }

  #isLetIn(person: Person, { mount, subject, org }: Of<'role'>): boolean {
    const at = this.#resources.get(mount);
    const claims = person.claims[mount];
    if (at?.kind !== 'mount' || claims === undefined) return false;
    if (claims.isSecond && !at.trustsSecond) return false;
    return (subject ?? person.name) === person.name && (org === undefined || org === claims.org);
  }

  #lifeOf({ mount, seconds = 3600 }: Of<'role'>): string[] {
    const at = this.#resources.get(mount);
    const most = at?.kind === 'mount' ? (at.longest ?? Infinity) : 0;
    return this.#world.hasTimes
      ? [900, 1800, 3600].flatMap((one) => (Math.min(seconds, most) >= one ? [`lives ${one}`] : []))
      : [];
  }

  /** Undefined for an entity that is disabled, and where a second factor is asked for. */
  #identityAt(mount: string, name: string): Identity | undefined {
    for (const [key, one] of this.#resources) {
      if (one.kind !== 'entityAlias' || one.mount !== mount || one.name !== name) continue;
      const entity = this.#resources.get(one.entity);
      if (entity?.kind !== 'entity') continue;
      if (this.#gone.has(mount) && !this.#gone.has(key)) continue;
      if (entity.isDisabled || this.#isGuarded(mount, one.entity)) return undefined;
      return { entity: one.entity, groups: [] };
    }
    return this.#isGuarded(mount) ? undefined : { groups: [] };
  }

  #groupsBy({ claims }: Person, { mount, readsGroups }: Of<'role'>): string[] {
    if (!readsGroups || this.#gone.has(mount)) return [];
    return [...this.#resources.values()].flatMap((one) =>
      one.kind === 'groupAlias' && one.mount === mount && claims[mount]?.groups.includes(one.name)
        ? [one.group]
        : [],
    );
  }

  #add(all: Set<string>, policies: string[], { entity, groups }: Identity, role?: Of<'role'>): void {
    const there = this.#around([...groups, ...(entity === undefined ? [] : [entity])]);
    const given = [...there].flatMap((key) => this.#policiesOf(key));
    const known = (held: string[]) => this.#ask([...new Set([...held, ...given])], there, entity, role);
    for (const one of known(policies)) all.add(one);
    const tokenRoles = this.#all('tokenRole').filter(([, { name }]) => all.has(`makes ${name}`));
    for (const [, one] of tokenRoles) {
      // Where it names none, who makes a token leaves out what they like.
      const parts =
        one.policies.length > 0
          ? one.policies.map((policy) => [policy])
          : [[], ...policies.map((policy) => [policy])];
      for (const part of parts) for (const value of known(part)) all.add(value);
    }
  }

  /** Groups around groups: members of a member have what the outer one has. */
  #around(keys: string[]): Set<string> {
    const found = new Set(keys);
    for (let size = -1; size !== found.size; ) {
      size = found.size;
      for (const [key, { members }] of this.#all('group'))
        if (members.some((one) => found.has(one))) found.add(key);
    }
    return found;
  }

  #policiesOf(key: string): string[] {
    const one = this.#resources.get(key);
    const attached = [...this.#resources.values()].flatMap((other) =>
      other.kind === 'attachment' && other.group === key ? other.policies : [],
    );
    return one?.kind === 'entity' || one?.kind === 'group' ? [...one.policies, ...attached] : [];
  }

  #ask(held: string[], there: ReadonlySet<string>, entity?: string, role?: Of<'role'>): ReadonlySet<string> {
    const { hasTemplates } = this.#world;
    const key = JSON.stringify([
      held.sort(),
      ...(hasTemplates ? [[...there].sort(), entity, role?.mount] : []),
    ]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const texts = held.flatMap((name) => {
      const policy = this.#resources.get(name);
      if (policy?.kind !== 'policy') return [];
      const rules = policy.rules.flatMap((rule) => {
        const path = this.#filled(rule.path, there, entity, role);
        return path === undefined ? [] : [{ ...rule, path }];
      });
      return [{ name, rules: parsePolicy(textOf(rules)) }];
    });
    const acl = new Acl(texts, 0n);
    const asked = askedIn(this.#world).flat();
    const allowed = asked.flatMap((one) => {
      const { path, capability, body: parameters = {} } = one;
      const at = capability === 'list' ? path.replace(/\/$/, '') : path;
      return acl.allows({ path: at, capability, parameters }) ? [nameOf(one)] : [];
    });
    const makes = this.#all('tokenRole').flatMap(([, { name }]) =>
      acl.allows({ path: `auth/token/create/${name}`, capability: 'update' }) ? [`makes ${name}`] : [],
    );
    const answer = new Set([...allowed, ...makes]);
    this.#known.set(key, answer);
    return answer;
  }

  /** Undefined where a template has nothing to be filled in with. */
  #filled(path: string, there: ReadonlySet<string>, entity?: string, role?: Of<'role'>): string | undefined {
    const resources = this.#resources;
    const known = entity === undefined ? undefined : resources.get(entity);
    const alias = [...resources.values()].find(
      (one) => one.kind === 'entityAlias' && one.entity === entity && one.mount === 'j1',
    );
    const [, group] = /groups\.names\.\w+-(\w+)\./.exec(path) ?? [];
    const of = group === undefined || !there.has(group) ? undefined : resources.get(group);
    const values: Record<string, string | undefined> = {
      'entity.name': known?.kind === 'entity' ? known.name : undefined,
      'entity.metadata.team': known?.kind === 'entity' ? known.team : undefined,
      'entity.aliases.acc-j1.metadata.team': role?.mount === 'j1' && role.mapsTeam ? 'a' : undefined,
      'entity.aliases.acc-j1.custom_metadata.note': alias?.kind === 'entityAlias' ? alias.note : undefined,
    };
    const team = of?.kind === 'group' ? of.team : undefined;
    let isFilled = true;
    const text = path.replace(/\{\{identity\.([^}]*)\}\}/g, (_, name: string) => {
      const value = name.startsWith('groups.') ? team : values[name];
      isFilled &&= value !== undefined;
      return value ?? '';
    });
    return isFilled ? text : undefined;
  }
}
