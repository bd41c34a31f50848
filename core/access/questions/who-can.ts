import type { Graph } from '../../model/graph.ts';
import { OutOfBudget } from '../../model/values/budget.ts';
import type { PathView } from '../rule-book.ts';
import type { Witness } from '../sign-in/population.ts';
import {
  GraphPrincipals,
  type SamePolicies,
  type Standing,
  signInOf,
  standingText,
  type Verdict,
  verdictOn,
} from './graph-principals.ts';

export interface Question {
  capability: string;
  /** A path, or a pattern: `+` for a segment, `*` at the end. */
  path: string;
}

/** One grant by which principals can. */
export interface Ability {
  /** What gives it: a role, the external group of an alias, an entity, members of another group, another access. */
  by: Pick<Standing, 'kind' | 'name' | 'method' | 'alias'>;
  /** Of a group: the roles by which its people can. Empty where none of them is here. */
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
  readonly signIn?: { role: string; token: Witness; whom?: string } | undefined;
}

export interface WhoCan {
  question: Question;
  /** `no`: none of those in the graph. `unknown`: none is known to, and some may. */
  answer: 'yes' | 'no' | 'unknown';
  abilities: Ability[];
  /** What is missing to know all of them, in words. */
  missing: string[];
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
   * fewer policies say something there, none of them denies, and the one that gives it stays. A more specific
   * pattern or a denial of the role itself is in both tokens. So other groups can only take away.
   */
  whoCan(question: Question): WhoCan {
    const { capability, path: asked } = question;
    const wanted = capability === 'list' ? 'list' : 'others';
    const found = new Map<Standing, Found>();
    let classes = 0;
    const note = (giver: SamePolicies, view: PathView, verdict: Verdict, role?: SamePolicies) => {
      if (verdict.can === 'no') return;
      for (const standing of giver.standings) {
        let there = found.get(standing);
        if (there === undefined) {
          there = { verdict, path: view.path, roles: new Set(), on: 0, last: 0 };
          found.set(standing, there);
        }
        if (there.verdict.can === 'unknown' && verdict.can === 'yes') {
          Object.assign(there, { verdict, path: view.path });
        }
        for (const one of role?.standings ?? []) there.roles.add(one);
        if (verdict.can !== 'yes' || verdict.limits.length > 0 || there.last === classes) continue;
        there.last = classes;
        there.on += 1;
      }
    };
    const missing = this.#visit(asked, (view) => {
      if (view.asks !== wanted) return;
      classes += 1;
      const { mounts, identities, others } = this.#principals.at(view);
      for (const one of [...identities, ...others]) note(one, view, verdictOn(view, [one], capability));
      for (const { roles, groups } of mounts) {
        for (const role of roles) note(role, view, verdictOn(view, [role], capability));
        for (const group of groups.filter(({ policies }) => policies.length > 0)) {
          if (roles.length === 0) note(group, view, verdictOn(view, [group], capability));
          for (const role of roles) {
            const verdict = verdictOn(view, [role, group], capability);
            const isBy =
              verdict.can === 'yes'
                ? verdict.givers.some((name) => group.policies.includes(name))
                : group.unread.length > 0;
            if (isBy) note(group, view, verdict, role);
          }
        }
      }
    });
    const abilities = [...found].map(([standing, one]) =>
      ability(
        standing,
        one,
        missing === undefined && one.on === classes,
        this.#principals.mounts.get(standing.method ?? '')?.roles.all ?? [],
      ),
    );
    const unknown = [...(missing === undefined ? [] : [missing]), ...this.#principals.unseen];
    const isYes = abilities.some(({ can }) => can === 'yes');
    return {
      question,
      answer: isYes ? 'yes' : abilities.length + unknown.length > 0 ? 'unknown' : 'no',
      abilities: abilities.sort(byCertainty),
      missing: unknown,
    };
  }

  /** @returns what is missing where classes may have been left out */
  #visit(asked: string, look: (view: PathView) => void): string | undefined {
    try {
      this.#principals.visit(asked, look);
    } catch (error) {
      if (error instanceof OutOfBudget) return `every path: ${error.message}`;
      throw error;
    }
    return undefined;
  }
}

/** The verdict that is shown: the first certain one, or else the first. */
interface Found {
  verdict: Verdict;
  path: string;
  roles: Set<Standing>;
  /** Classes of paths where they can, without a limit; and the last of them. */
  on: number;
  last: number;
}

function ability(
  standing: Standing,
  { verdict, path, roles }: Found,
  everywhere: boolean,
  all: readonly Standing[],
): Ability {
  const { kind, name, method, alias } = standing;
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
      return signInOf(standing, through.some(({ readsGroups }) => readsGroups) ? through : all);
    },
  };
}

const kinds: Standing['kind'][] = ['role', 'group', 'members', 'entity', 'other'];

function byCertainty(one: Ability, other: Ability): number {
  const rank = ({ can, by }: Ability) => (can === 'yes' ? 0 : 10) + kinds.indexOf(by.kind);
  return rank(one) - rank(other) || (standingText(one.by) < standingText(other.by) ? -1 : 1);
}
