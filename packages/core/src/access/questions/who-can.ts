import type { Graph } from '../../graph/graph.ts';
import type { OpenAccess } from '../../graph/policies/open-paths.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import type { Principals } from '../access-change.ts';
import { settings } from '../administration.ts';
import { giverKey } from '../reasons/giver.ts';
import type { Reason } from '../reasons/reason.ts';
import {
  GraphPrincipals,
  type SamePolicies,
  type SignIn,
  signInOf,
  type Verdict,
  verdictOn,
} from './graph-principals.ts';

/** A capability on a path. */
export interface Question {
  capability: string;
  /** Whether it takes `sudo` as well, as servers ask of some paths. Defaults to `no`. */
  sudo?: 'yes' | 'no' | 'unknown';
  /** What can be done there without a token. Defaults to nothing. */
  tokenless?: OpenAccess | undefined;
  /** A path, or a pattern: `+` for a segment, `*` at the end. */
  path: string;
}

/** One grant that lets principals. */
export interface Ability {
  /** What gives it: a role, the external group of an alias, an entity, members of another group, another node; or no token is asked. */
  by: {
    kind: 'role' | 'group' | 'members' | 'entity' | 'other' | 'anyone';
    name: string;
    /** Path of the auth method, of a role or a group's alias. */
    method?: string;
    /** Name of a group's alias. */
    alias?: string;
  };
  /** Of a group: the roles that its people need to sign in by. Empty where none of them is here. */
  roles: string[];
  /** `unknown` where it cannot be judged. */
  can: 'yes' | 'unknown';
  /** A path on which they can. */
  path: string;
  /** The pattern that decides there. */
  pattern?: string;
  /** The policies that give it there. */
  policies: string[];
  /** Limits on it there, by the names of their attributes. */
  limits: string[];
  /** Whether they can on all paths that were asked for, without a limit. */
  everywhere: boolean;
  /** Policies that cannot be read: they may give it, or take it away. */
  unread: string[];
  /** A sign-in that would, and whom its role lets in, where there are words for it; absent where none is known. */
  readonly signIn?: SignIn | undefined;
}

/** Who administers, and a path at which they do. */
export type Administrator = Pick<Ability, 'by' | 'roles' | 'path'>;

/** Who can do what was asked. */
export interface WhoCan {
  question: Question;
  /** `no`: none of the principals in the graph. `unknown`: none is known to, and some may. */
  answer: 'yes' | 'no' | 'unknown';
  abilities: Ability[];
  /** What is missing to know all of them. */
  missing: Reason[];
}

/** The answer for several: that one is no says nothing where another one is not. */
export function strongestAnswer(answers: readonly WhoCan['answer'][]): WhoCan['answer'] {
  return (['yes', 'unknown'] as const).find((answer) => answers.includes(answer)) ?? 'no';
}

/** Answers who can do something; loading a graph once makes each question fast. */
export class Reach {
  readonly #principals: GraphPrincipals;

  /** @param now nanoseconds since 1970: rules of policies may expire */
  constructor(graph: Graph, now: bigint) {
    this.#principals = new GraphPrincipals(graph, now);
  }

  /**
   * Who can do something at a path, or on at least one path of a pattern.
   *
   * A role alone and with each single group is enough to find all. Let a token of a role and any groups have the
   * capability at a path. One pattern decides there: the first match among those that its policies name. Some policy of
   * the token gives the capability at that very pattern, and none denies there. Take away all groups but one that
   * gives it (all of them, if the role does): what is left names fewer patterns, still this one, so it still decides;
   * fewer policies match there, none of them denies, and the giving policy stays. A more specific
   * pattern or a denial of the role itself is in both tokens. So other groups can only take away.
   */
  whoCan(question: Question): WhoCan {
    const { search, missing } = this.#search(question);
    const isWhole = missing === undefined;
    const ofTokens = search
      .shown()
      .map(([principals, found]) =>
        ability(
          principals,
          found,
          isWhole && search.isEverywhere(found),
          this.#principals.rolesTo(principals),
        ),
      );
    const abilities = [...withoutToken(question), ...ofTokens];
    const unknown = [...(isWhole ? [] : [missing]), ...this.#principals.unseen];
    const isYes = abilities.some(({ can }) => can === 'yes');
    return {
      question,
      answer: isYes ? 'yes' : abilities.length + unknown.length > 0 ? 'unknown' : 'no',
      abilities,
      missing: unknown,
    };
  }

  /** The principals who can do something at a path, or on at least one path of a pattern, and those who may. */
  holdersOf({ path, capability }: Pick<Question, 'path' | 'capability'>): Holder[] {
    const { search } = this.#search({ path, capability });
    return search.shown().map(([principals, { verdict }]) => ({
      principals,
      can: verdict.can === 'yes' ? 'yes' : 'unknown',
    }));
  }

  /** Who can write policies, roles, groups or entities, and so give themselves what no one has: each at one place. */
  administrators(): Administrator[] {
    const administrators = new Map<string, Administrator>();
    for (const path of settings) {
      for (const capability of ['update', 'create']) {
        for (const { by, roles, can, path: at } of this.whoCan({ capability, path }).abilities)
          if (can === 'yes') getOrMake(administrators, JSON.stringify(by), () => ({ by, roles, path: at }));
      }
    }
    return [...administrators.values()];
  }

  #search(question: Question): { search: Search; missing: Reason | undefined } {
    const { capability, path } = question;
    const asks = capability === 'list' ? 'list' : 'others';
    const search = new Search(question);
    const missing = this.#principals.visit(path, (view) => {
      if (view.asks === asks) search.look(view, this.#principals.at(view));
    });
    return { search, missing };
  }
}

/** Principals who can do what was asked; `unknown` where it cannot be judged. */
interface Holder {
  principals: Principals;
  can: 'yes' | 'unknown';
}

/** Anyone without a token is a principal, too. */
function withoutToken({ path, tokenless }: Question): Ability[] {
  if (tokenless === undefined) return [];
  const by = { kind: 'anyone' as const, name: 'anyone' };
  return [
    {
      by,
      roles: [],
      can: tokenless.can,
      path: tokenless.path,
      policies: [],
      limits: [],
      everywhere: tokenless.path === path,
      unread: [],
    },
  ];
}

type View = Parameters<typeof verdictOn>[0];
type PrincipalsAt = ReturnType<GraphPrincipals['at']>;

/** Those who can, over the classes of paths that are looked at one by one. */
class Search {
  readonly #question: Question;
  readonly #found = new Map<Principals, Found>();
  #classes = 0;

  constructor(question: Question) {
    this.#question = question;
  }

  look(view: View, { mounts, identities, otherPrincipals }: PrincipalsAt): void {
    this.#classes += 1;
    for (const alone of [...identities, ...otherPrincipals])
      this.#note(view, alone, this.#verdict(view, [alone]));
    for (const { roles, groups } of mounts) {
      for (const role of roles) this.#note(view, role, this.#verdict(view, [role], groups));
      for (const group of groups.filter(({ policies }) => policies.length > 0)) {
        if (roles.length === 0) this.#note(view, group, this.#verdict(view, [group], groups));
        for (const role of roles) {
          const verdict = this.#verdict(view, [role, group], groups);
          if (isBy(group, verdict)) this.#note(view, group, verdict, role);
        }
      }
    }
  }

  /** Of what its maker picks policies of, the whole stands for its parts where it can. */
  shown(): [Principals, Found][] {
    const isShown = ({ partOf }: Principals) => !partOf || this.#found.get(partOf)?.verdict.can !== 'yes';
    return [...this.#found].filter(([principals]) => isShown(principals)).sort(byCertainty);
  }

  isEverywhere({ classes }: Found): boolean {
    return classes === this.#classes;
  }

  #verdict(view: View, list: SamePolicies[], groups: readonly SamePolicies[] = []): Verdict {
    const { capability, sudo = 'no' } = this.#question;
    const verdict = verdictOn(view, list, capability);
    if (sudo === 'no' || verdict.can === 'no') return verdict;
    // One group may give the capability, and another one sudo.
    const isOpen = groups.some((group) => verdictOn(view, [...list, group], 'sudo').can !== 'no');
    return withSudo(verdict, verdictOn(view, list, 'sudo'), isOpen ? 'unknown' : sudo);
  }

  /** @param role by which people come to a group */
  #note({ path }: View, giver: SamePolicies, verdict: Verdict, role?: SamePolicies): void {
    if (verdict.can === 'no') return;
    for (const principals of giver.principals) {
      const start = () => ({ verdict, path, roles: new Set<Principals>(), classes: 0, last: 0 });
      const found = getOrMake(this.#found, principals, start);
      if (found.verdict.can === 'unknown' && verdict.can === 'yes') Object.assign(found, { verdict, path });
      for (const through of role?.principals ?? []) found.roles.add(through.partOf ?? through);
      if (verdict.can !== 'yes' || verdict.limits.length > 0 || found.last === this.#classes) continue;
      found.last = this.#classes;
      found.classes += 1;
    }
  }
}

/** Whether a group gives what its people can by it and a role: some policy of it does, or one that cannot be read may. */
function isBy(group: SamePolicies, { can, givers }: Verdict): boolean {
  return can === 'yes' ? givers.some((name) => group.policies.includes(name)) : group.unread.length > 0;
}

/** The same where `sudo` is needed, or may be. */
function withSudo(verdict: Verdict, sudo: Verdict, need: 'yes' | 'unknown'): Verdict {
  if (sudo.can === 'yes')
    return { ...verdict, givers: [...new Set([...verdict.givers, ...sudo.givers])].sort() };
  const can = sudo.can === 'no' && need === 'yes' ? 'no' : 'unknown';
  return { ...verdict, can, unread: [...new Set([...verdict.unread, ...sudo.unread])] };
}

/** The verdict that is shown: the first certain one, or else the first. */
interface Found {
  verdict: Verdict;
  path: string;
  roles: Set<Principals>;
  /** Classes of paths where they can, without a limit; and the last of them. */
  classes: number;
  last: number;
}

function ability(
  principals: Principals,
  { verdict, path, roles }: Found,
  everywhere: boolean,
  all: readonly Principals[],
): Ability {
  const through = [...roles];
  return {
    by: byOf(principals),
    roles: through.map(({ name }) => name).sort(),
    can: verdict.can === 'yes' ? 'yes' : 'unknown',
    path,
    ...(verdict.pattern !== undefined && { pattern: verdict.pattern }),
    policies: verdict.givers,
    limits: verdict.limits,
    everywhere,
    unread: verdict.unread,
    // Worked out only for the abilities that are shown.
    get signIn() {
      return signInOf(principals, through.some(({ readsGroups }) => readsGroups) ? through : all);
    },
  };
}

function byOf({ kind, name, method = '', group = name }: Principals): Ability['by'] {
  if (kind === 'alias') return { kind: 'group', name: group, method, alias: name };
  if (kind === 'role') return { kind, name, method };
  return { kind: kind === 'group' ? 'members' : kind === 'entity' ? kind : 'other', name };
}

const kinds: Principals['kind'][] = ['role', 'alias', 'group', 'entity', 'other'];

function byCertainty(left: [Principals, Found], right: [Principals, Found]): number {
  const rank = ([{ kind }, { verdict }]: [Principals, Found]) =>
    (verdict.can === 'yes' ? 0 : 10) + kinds.indexOf(kind);
  return rank(left) - rank(right) || (giverKey(left[0].by) < giverKey(right[0].by) ? -1 : 1);
}
