import type { Role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import { nameKey } from '../model/values/name-key.ts';
import { type AskedPaths, PolicyRules } from './asked-paths.ts';
import { effectiveAliases, Holdings, policiesOfRole, unique } from './holdings.ts';
import { limitsOf } from './limits.ts';
import type { Witness } from './sign-in/population.ts';
import { type Alike, type Bearer, signInOf, Tokens, type Verdict, verdictOn } from './tokens.ts';

export interface Question {
  capability: string;
  /** A path, or a pattern: `+` for a segment, `*` at the end. */
  path: string;
}

/** One way in which somebody can. */
export interface Ability {
  /** What gives it: a role, the external group of an alias, an entity or internal group, another way in. */
  by: Pick<Bearer, 'kind' | 'name' | 'method' | 'alias'>;
  /** Of a group: the roles by which its people can. Empty where nobody here knows them. */
  roles: string[];
  /** `unknown` where it cannot be judged. */
  can: 'yes' | 'unknown';
  /** A path on which they can. */
  path: string;
  /** The pattern that decides there. */
  pattern?: string;
  /** The policies that give it there. */
  policies: string[];
  /** Limits beside it there, by the names of their attributes. */
  limits: string[];
  /** Whether they can on all paths that were asked for, without a limit. */
  everywhere: boolean;
  /** Policies that cannot be read: they may give it, or take it away. */
  unread: string[];
  /** A sign-in that would, and whom its role lets in, where there are words for it; absent where none is known. */
  readonly signIn?: { role: string; token: Witness; whom?: string } | undefined;
}

export interface WhoCan {
  question: Question;
  /** `unknown` where nobody is known to, and somebody may. */
  answer: 'yes' | 'no' | 'unknown';
  abilities: Ability[];
  /** What is missing to know everybody, in words. */
  missing: string[];
}

/** What a token can do where one pattern decides. */
export interface Reached {
  pattern: string;
  /** One of its paths where no other pattern decides. */
  path: string;
  /** `deny` alone where it takes away. */
  capabilities: string[];
  /** The policies that name the pattern. */
  policies: string[];
  limits: string[];
}

/** Answers questions about a state; loading it once makes each of them fast. */
export class Reach {
  readonly #tokens: Tokens;

  /** @param now nanoseconds since 1970: rules of policies may expire */
  constructor(state: State, now: bigint) {
    this.#tokens = new Tokens(state, now);
  }

  /**
   * Who can do something at a path, or on at least one path of a pattern.
   *
   * A role alone and with each single group is enough to find everybody. Let a token of a role and any groups have the
   * capability at a path. One pattern decides there: the first in the order of precedence among those that its policies
   * name. Some policy of the token gives the capability at that very pattern, and none denies there. Take away all
   * groups but one that gives it (all of them, if the role does): what is left names fewer patterns, still this one, so
   * it still decides; fewer policies say something there, none of them denies, and the one that gives it stays. A more
   * specific pattern or a denial of the role itself is in both tokens. So other groups can only take away.
   */
  whoCan(question: Question): WhoCan {
    const { capability, path: asked } = question;
    const wanted = capability === 'list' ? 'list' : 'others';
    const found = new Map<Bearer, Found>();
    let classes = 0;
    const note = (giver: Alike, paths: AskedPaths, verdict: Verdict, role?: Alike) => {
      if (verdict.can === 'no') return;
      for (const bearer of giver.bearers) {
        let there = found.get(bearer);
        if (there === undefined) {
          there = { verdict, path: paths.path, roles: new Set(), on: 0, last: 0 };
          found.set(bearer, there);
        }
        if (there.verdict.can === 'unknown' && verdict.can === 'yes') {
          Object.assign(there, { verdict, path: paths.path });
        }
        for (const one of role?.bearers ?? []) there.roles.add(one);
        if (verdict.can !== 'yes' || verdict.limits.length > 0 || there.last === classes) continue;
        there.last = classes;
        there.on += 1;
      }
    };
    const missing = this.#tokens.rules.visit(asked, (paths) => {
      if (paths.asks !== wanted) return;
      classes += 1;
      const { mounts, holders, others } = this.#tokens.at(paths);
      for (const one of [...holders, ...others]) note(one, paths, verdictOn(paths, [one], capability));
      for (const { roles, groups } of mounts) {
        for (const role of roles) note(role, paths, verdictOn(paths, [role], capability));
        for (const group of groups.filter(({ policies }) => policies.length > 0)) {
          if (roles.length === 0) note(group, paths, verdictOn(paths, [group], capability));
          for (const role of roles) {
            const verdict = verdictOn(paths, [role, group], capability);
            const isBy =
              verdict.can === 'yes'
                ? verdict.givers.some((name) => group.policies.includes(name))
                : group.unread.length > 0;
            if (isBy) note(group, paths, verdict, role);
          }
        }
      }
    });
    const abilities = [...found].map(([bearer, one]) =>
      ability(
        bearer,
        one,
        missing === undefined && one.on === classes,
        this.#tokens.mounts.get(bearer.method ?? '')?.roles.all ?? [],
      ),
    );
    const isYes = abilities.some(({ can }) => can === 'yes');
    const isUnknown = abilities.length > 0 || missing !== undefined;
    return {
      question,
      answer: isYes ? 'yes' : isUnknown ? 'unknown' : 'no',
      abilities: abilities.sort(byCertainty),
      missing: missing === undefined ? [] : [missing],
    };
  }
}

/** The verdict on somebody that is shown: the first certain one, or else the first. */
interface Found {
  verdict: Verdict;
  path: string;
  roles: Set<Bearer>;
  /** Classes of paths where they can, without a limit; and the last of them. */
  on: number;
  last: number;
}

function ability(
  bearer: Bearer,
  { verdict, path, roles }: Found,
  everywhere: boolean,
  all: readonly Bearer[],
): Ability {
  const { kind, name, method, alias } = bearer;
  const by = { kind, name, ...(method !== undefined && { method }), ...(alias !== undefined && { alias }) };
  const through = [...roles];
  return {
    by,
    roles: through.map((role) => role.name).sort(),
    can: verdict.can === 'yes' ? 'yes' : 'unknown',
    path,
    ...(verdict.pattern !== undefined && { pattern: verdict.pattern }),
    policies: verdict.givers,
    limits: verdict.limits,
    everywhere,
    unread: verdict.unread,
    // Worked out only for those who are shown.
    get signIn() {
      return signInOf(bearer, through.some(({ readsGroups }) => readsGroups) ? through : all);
    },
  };
}

const kinds: Bearer['kind'][] = ['role', 'group', 'holder', 'other'];

function byCertainty(one: Ability, other: Ability): number {
  const rank = ({ can, by }: Ability) => (can === 'yes' ? 0 : 10) + kinds.indexOf(by.kind);
  const text = ({ by }: Ability) => `${by.method} ${by.name} ${by.alias}`;
  return rank(one) - rank(other) || (text(one) < text(other) ? -1 : 1);
}

/** What a role gives, together with groups. */
export interface ReachOfRole {
  role: { method: string; name: string };
  /** The groups whose policies count here, by their names. */
  groups: string[];
  policies: string[];
  rows: Reached[];
  /** Policies that cannot be read: they may give anything, or take it away. */
  unread: string[];
  /** What is missing to know everything, in words. */
  missing: string[];
}

/**
 * Everything that a token of a role can do, in any of these external groups: one row for each pattern that decides
 * somewhere. So a pattern that others hide everywhere has no row, and a hole in one has its own.
 *
 * @param groups names of external groups
 * @param now nanoseconds since 1970: rules of policies may expire
 */
export function reachOf(state: State, role: Role, groups: readonly string[], now: bigint): ReachOfRole {
  const holdings = new Holdings(state);
  const given = groups.flatMap((group) => holdings.policiesOf('group', group));
  const policies = unique([...policiesOfRole(role), ...given]);
  const rules = new PolicyRules(state, policies, now);
  const rows = new Map<string, Reached>();
  const missing = rules.visit(undefined, (paths) => {
    const decision = paths.decide(policies);
    if (decision.rule === undefined) return;
    const { path: pattern, capabilities } = decision.rule;
    const isDenied = capabilities.has('deny') || capabilities.size === 0;
    const row = rows.get(pattern) ?? {
      pattern,
      path: paths.path,
      capabilities: [],
      policies: paths.namers(policies, decision),
      limits: isDenied ? [] : limitsOf(decision.rule),
    };
    const here = [...capabilities].filter((one) => (one === 'list') === (paths.asks === 'list'));
    const told = isDenied ? ['deny'] : here.length === 0 && capabilities.has('list') ? [] : here;
    row.capabilities = [...new Set([...row.capabilities, ...told])].sort();
    rows.set(pattern, row);
  });
  return {
    role: { method: role.method, name: role.name },
    groups: [...groups],
    policies,
    rows: [...rows.values()]
      .filter(({ capabilities }) => capabilities.length > 0)
      .sort((one, other) => (one.pattern < other.pattern ? -1 : 1)),
    unread: policies.filter((name) => !rules.isRead(name)),
    missing: missing === undefined ? [] : [missing],
  };
}

/** The external groups that people get into by a method, with what each adds. */
export function groupsOf(
  state: State,
  method: string,
): { group: string; alias: string; policies: string[] }[] {
  const holdings = new Holdings(state);
  return [...effectiveAliases(state).values()]
    .filter((alias) => nameKey(alias.method) === nameKey(method))
    .map(({ name: alias, group }) => ({ group, alias, policies: holdings.policiesOf('group', group) }));
}
