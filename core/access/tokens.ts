import type { AuthMethod } from '../model/resources/auth-method.ts';
import type { Role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import { subjectText } from '../model/subject.ts';
import { type AskedPaths, gives, PolicyRules } from './asked-paths.ts';
import { effectiveAliases, Holdings, policiesOfRole, unique } from './holdings.ts';
import { limitsOf } from './limits.ts';
import { byPolicy } from './members.ts';
import { type Population, populationOf, type Witness, witnessOf } from './sign-in/population.ts';

/** Somebody or something that has policies in a state. */
export interface Bearer {
  /** `group`: the external group of an alias. `holder`: an entity or internal group. `other`: another way in. */
  kind: 'role' | 'group' | 'holder' | 'other';
  name: string;
  /** Path of the auth method, of a role or a group's alias. */
  method?: string;
  /** Name of a group's alias. */
  alias?: string;
  /** Of a role: whether it asks for groups. */
  readsGroups?: boolean;
  /** Of a role: who signs in by it. */
  population?: () => Population;
  policies: readonly string[];
}

/** Those who have the same of the policies that say something at some paths. */
export interface Alike {
  bearers: readonly Bearer[];
  policies: readonly string[];
  /** Those of the policies that nobody here can read. */
  unread: readonly string[];
}

/** Those who matter at some paths. */
export interface Askers {
  /** Who signs in at one place, and the groups there. */
  mounts: { roles: Alike[]; groups: Alike[] }[];
  holders: Alike[];
  others: Alike[];
}

/** Whether a token can: `unknown` where a policy that it has cannot be read. */
export interface Verdict {
  can: 'yes' | 'no' | 'unknown';
  /** The pattern that decides, as the policy has it. */
  pattern?: string;
  /** The policies that give it there. */
  givers: string[];
  /** Limits beside it, by the names of their attributes. */
  limits: string[];
  /** Policies that cannot be read and may give it or take it away. */
  unread: string[];
}

/** Everybody who can have a token in a state, with what gives them policies. */
export class Tokens {
  /** By the path of their auth method. */
  readonly mounts = new Map<string, { roles: Crowd; groups: Crowd }>();
  /** Entities and internal groups: nobody here knows by which roles they sign in. */
  readonly #holders: Crowd;
  readonly #others: Crowd;
  readonly rules: PolicyRules;

  /** @param now nanoseconds since 1970: rules of policies may expire */
  constructor(state: State, now: bigint) {
    const methods = new Map(state.methods.map((method) => [method.path, method]));
    const holdings = new Holdings(state);
    const roles = state.roles.map((role) => ofRole(role, methods.get(role.method)));
    const groups = [...effectiveAliases(state).values()].map(
      ({ method, name: alias, group }): Bearer => ({
        kind: 'group',
        name: group,
        method,
        alias,
        policies: holdings.policiesOf('group', group),
      }),
    );
    const holders = [...holdings.others.values()].map(
      ({ kind, name }): Bearer => ({
        kind: 'holder',
        name: `${kind === 'group' ? 'internal group' : 'entity'} ${name}`,
        policies: holdings.policiesOf(kind, name),
      }),
    );
    const others = (state.others ?? []).flatMap(({ name, effect, policies }): Bearer[] =>
      effect === 'takes' ? [] : [{ kind: 'other', name, policies: unique(policies) }],
    );
    const everybody = [...roles, ...groups, ...holders, ...others];
    this.rules = new PolicyRules(state, new Set(everybody.flatMap(({ policies }) => policies)), now);
    for (const [path, here] of Map.groupBy([...roles, ...groups], ({ method = '' }) => method)) {
      const of = (wanted: Bearer['kind']) =>
        new Crowd(
          here.filter(({ kind }) => kind === wanted),
          this.rules,
        );
      this.mounts.set(path, { roles: of('role'), groups: of('group') });
    }
    this.#holders = new Crowd(holders, this.rules);
    this.#others = new Crowd(others, this.rules);
  }

  /** Those who may be able to do something at these paths, and who else is at the same auth method. */
  at({ said }: AskedPaths): Askers {
    return {
      mounts: [...this.mounts.values()]
        .filter(({ roles, groups }) => roles.speaks(said) || groups.speaks(said))
        .map(({ roles, groups }) => ({ roles: roles.alike(said), groups: groups.alike(said) })),
      holders: this.#holders.alike(said).filter(({ policies }) => policies.length > 0),
      others: this.#others.alike(said).filter(({ policies }) => policies.length > 0),
    };
  }
}

/** Bearers, found by their policies. */
class Crowd {
  readonly all: readonly Bearer[];
  readonly #rules: PolicyRules;
  readonly #byPolicy: Map<string, Bearer[]>;
  /** Those with a policy that cannot be read, which may say anything. */
  readonly #unread: Bearer[];

  constructor(all: Bearer[], rules: PolicyRules) {
    this.all = all;
    this.#rules = rules;
    this.#unread = all.filter(({ policies }) => policies.some((name) => !rules.isRead(name)));
    this.#byPolicy = byPolicy(all, ({ policies }) => policies);
  }

  /** Whether anybody has one of the policies, or one that may say the same. */
  speaks(said: readonly string[]): boolean {
    return this.#unread.length > 0 || said.some((name) => this.#byPolicy.has(name));
  }

  /** All of them, those together who have the same of the policies; last those who have none. */
  alike(said: readonly string[]): Alike[] {
    const speaking = new Set([...this.#unread, ...said.flatMap((name) => this.#byPolicy.get(name) ?? [])]);
    const names = new Set(said);
    const found = new Map<string, Alike & { bearers: Bearer[] }>();
    for (const bearer of speaking) {
      const unread = bearer.policies.filter((name) => !this.#rules.isRead(name));
      const policies = [...bearer.policies.filter((name) => names.has(name)), ...unread];
      const key = JSON.stringify(policies);
      const there = found.get(key);
      if (there !== undefined) there.bearers.push(bearer);
      else found.set(key, { bearers: [bearer], policies, unread });
    }
    if (speaking.size === this.all.length) return [...found.values()];
    const { all } = this;
    let silent: Bearer[] | undefined;
    const others: Alike = {
      // They are many, and seldom asked for.
      get bearers() {
        silent ??= all.filter((one) => !speaking.has(one));
        return silent;
      },
      policies: [],
      unread: [],
    };
    return [...found.values(), others];
  }
}

/** Whether whoever has all these policies can do something at these paths. */
export function verdictOn(paths: AskedPaths, parts: readonly Alike[], capability: string): Verdict {
  const names = [...new Set(parts.flatMap(({ policies }) => policies))];
  const unread = [...new Set(parts.flatMap((part) => part.unread))];
  const decision = paths.decide(names);
  const isGiven = decision.rule !== undefined && gives(decision.rule, capability);
  const told = {
    givers: isGiven ? paths.givers(names, decision, capability) : [],
    limits: isGiven && decision.rule ? limitsOf(decision.rule) : [],
    unread,
    ...(isGiven && decision.rule && { pattern: decision.rule.path }),
  };
  if (unread.length === 0) return { ...told, can: isGiven ? 'yes' : 'no' };
  // A policy that nobody can read cannot undo a denial of this very path.
  const isDenied = decision.rule?.capabilities.has('deny') === true && paths.isExact(decision);
  return { ...told, can: isDenied ? 'no' : 'unknown' };
}

function ofRole(role: Role, method: AuthMethod | undefined): Bearer {
  return {
    kind: 'role',
    name: role.name,
    method: role.method,
    readsGroups: Boolean(role.groupsClaim),
    population: () => populationOf(role, method),
    policies: policiesOfRole(role),
  };
}

/** Whose policies a bearer has, in words: `group "admins" (alias "x" of auth/staff)`. */
export function bearerText({ kind, name, method = '', alias }: Bearer): string {
  if (kind === 'role') return subjectText({ type: kind, name, method });
  if (kind === 'group') return `group ${JSON.stringify(name)} (${JSON.stringify(alias)} of auth/${method})`;
  return name;
}

/** A sign-in that has the policies of a role, or of a group by one of the roles. */
export function signInOf(
  bearer: Bearer,
  roles: readonly Bearer[],
): { role: string; token: Witness; whom?: string } | undefined {
  const candidates = bearer.kind === 'role' ? [bearer] : roles.filter(({ readsGroups }) => readsGroups);
  for (const { name, population } of candidates) {
    if (population === undefined) continue;
    const { whom, ...everybody } = population();
    const token = witnessOf(everybody, bearer.alias === undefined ? [] : [bearer.alias]);
    if (token !== undefined) return { role: name, token, ...(whom === undefined ? {} : { whom }) };
  }
  return undefined;
}
