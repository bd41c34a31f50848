import { hasWildcard, type Rule, united } from '../model/policies/acl.ts';
import type { PathRule } from '../model/policies/parse-policy.ts';
import type { State } from '../model/state.ts';
import { Budget, OutOfBudget } from './budget.ts';
import { type PathClass, Patterns } from './path-classes.ts';
import { type Decided, joint, type Said, type Saying, saidOf } from './path-outcomes.ts';
import { policySides } from './policy-sides.ts';
import { fillings } from './templates.ts';

/** Paths of which every policy says the same. */
export interface AskedPaths {
  /** One of them. */
  path: string;
  asks: PathClass['asks'];
  /** The policies that say something of them. */
  said: readonly string[];
  /**
   * What decides for whoever has these policies.
   *
   * @throws OutOfBudget, for `visit` to tell
   */
  decide(names: readonly string[]): Decided;
  /** Those of the policies that name the pattern that decides. */
  namers(names: readonly string[], decision: Decided): string[];
  /** Those of them that give a capability there. */
  givers(names: readonly string[], decision: Decided, capability: string): string[];
  /** Whether the pattern that decides names the path as it is: no other policy can be more specific. */
  isExact(decision: Decided): boolean;
}

/** The policies of a state as rules, and where they begin. */
export class PolicyRules {
  readonly #rules = new Map<string, { rule: PathRule; start: string }[] | undefined>();

  /** @param now nanoseconds since 1970: rules may expire */
  constructor({ policies }: Pick<State, 'policies'>, names: Iterable<string>, now: bigint) {
    for (const [name, { after }] of policySides(names, policies, policies, now)) {
      this.#rules.set(
        name,
        after?.map((rule) => ({ rule, start: beginning(rule.path) })),
      );
    }
  }

  /** Whether what a policy says is known. */
  isRead(name: string): boolean {
    return this.#rules.get(name) !== undefined;
  }

  #rulesAbout(asked: string | undefined): { name: string; rule: PathRule }[] {
    const from = asked === undefined ? '' : beginning(asked);
    return [...this.#rules].flatMap(([name, rules = []]) =>
      rules.flatMap(({ rule, start }) =>
        start.startsWith(from) || from.startsWith(start) ? [{ name, rule }] : [],
      ),
    );
  }

  /**
   * Visits every class of paths that a pattern matches and that the policies tell apart.
   *
   * @param asked a pattern; undefined for all paths that the policies name
   * @param budget defaults to that of one decision
   * @returns what is missing where classes may have been left out
   */
  visit(
    asked: string | undefined,
    look: (paths: AskedPaths) => void,
    budget = new Budget(),
  ): string | undefined {
    const rules = this.#rulesAbout(asked);
    const probes = asked === undefined ? [] : [asked];
    const patterns = new Set([...rules.map(({ rule }) => rule.path), ...probes]);
    const fills = asked === undefined ? [undefined] : fillings([...patterns], new Set(probes), budget);
    try {
      for (const fill of fills) this.#walk(rules, asked, fill ?? plainly, look, budget);
    } catch (error) {
      if (error instanceof OutOfBudget) return `every path: ${error.message}`;
      throw error;
    }
    return undefined;
  }

  #walk(
    rules: { name: string; rule: PathRule }[],
    asked: string | undefined,
    fill: (pattern: string) => string,
    look: (paths: AskedPaths) => void,
    budget: Budget,
  ): void {
    const probes = asked === undefined ? [] : [asked];
    const known = new Patterns([...rules.map(({ rule }) => fill(rule.path)), ...probes]);
    const saying: Saying[] = known.texts.map(() => ({ before: new Map(), after: new Map() }));
    for (const { name, rule } of rules) {
      const there = saying[known.indexOf(fill(rule.path))]?.after;
      there?.set(name, united(there.get(name), rule));
    }
    const followed = asked === undefined ? known.texts.map((_, at) => at) : [known.indexOf(asked)];
    known.walk(new Set(followed), (found) => look(askedPaths(found, saying, known.texts, budget)), budget);
  }
}

function askedPaths(found: PathClass, saying: Saying[], texts: string[], budget: Budget): AskedPaths {
  let known: Said | undefined;
  // Of most classes of paths nobody asks more than what is asked there.
  const said = () => {
    known ??= saidOf(found.order, saying, 'after');
    return known;
  };
  return {
    get path() {
      return found.path;
    },
    asks: found.asks,
    get said() {
      return [...said().keys()];
    },
    decide(names) {
      budget.spend(perDecision, 'combinations of roles and groups');
      return joint(names.map((name) => said().get(name)));
    },
    namers: (names, { rank }) => names.filter((name) => said().get(name)?.rank === rank),
    givers: (names, { rank }, capability) =>
      names.filter((name) => {
        const there = said().get(name);
        return there?.rank === rank && gives(there.rule, capability);
      }),
    isExact: ({ rank }) => {
      const pattern = texts[found.order[rank] ?? -1] ?? '*';
      // Of a list, what is said of the folder with its slash goes before what is said of its name.
      return !hasWildcard(pattern) && (found.asks === 'others' || pattern.endsWith('/'));
    },
  };
}

/** What one decision takes of the budget. */
const perDecision = 3;

/** Whether a rule gives a capability, whatever it limits beside. */
export function gives({ capabilities }: Pick<Rule, 'capabilities'>, capability: string): boolean {
  return !capabilities.has('deny') && (capabilities.has(capability) || capabilities.has('root'));
}

/** What a path that the pattern matches begins with. Shorter than need be, never longer. */
function beginning(pattern: string): string {
  return pattern.split(/[+*]|\{\{/, 1)[0] ?? '';
}

const plainly = (pattern: string) => pattern;
