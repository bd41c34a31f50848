import { comparePrecedence, hasWildcard, isOfPattern, type Rule } from '../model/policies/acl.ts';
import type { ChangedPaths, DecidingRule, PathCause } from './access-change.ts';
import { areSameDeciders, type Decider, type PathChange } from './decide.ts';
import { RuleNumbers } from './first-match.ts';
import type { Grant } from './grants.ts';
import { isPassable } from './limits.ts';
import type { Side } from './policy-sides.ts';
import { beginning, type RuleBook } from './rule-book.ts';

/** Patterns that are looked at; no more causes are looked for after so many. */
const mostCompared = 1_000_000;
const sides = ['before', 'after'] as const;

/** Which rules decide on changed paths before and after, and the one thing that makes them others. */
export class PathCauses {
  readonly #book: RuleBook;
  readonly #numbers = new RuleNumbers();
  readonly #changed = new Map<string, ReadonlySet<string>>();
  #compared = 0;

  constructor(book: RuleBook) {
    this.#book = book;
  }

  /** Of changes on the paths of one pattern, the one that shows it first. Nothing is said where policies are not known. */
  of(changes: readonly PathChange[]): Pick<ChangedPaths, 'decides' | 'cause'> {
    const [shown] = changes as [PathChange];
    const { decides, by, together } = shown;
    const isOne = changes.every(
      (one) => one.from === undefined && areSameDeciders(decides, one.decides, this.#numbers),
    );
    if (decides === undefined || !isOne) return {};
    const held = {
      before: policiesOf([by, ...together], 'before'),
      after: policiesOf([by, ...together], 'after'),
    };
    if (!this.#areKnown(held, shown.path)) return {};
    const [before, after] = sides.map((side) => this.#decidingRule(decides[side], held, side));
    const cause = this.#causeOf(shown, held);
    const isTold = cause !== undefined && this.#decidesAll(shown, held);
    return { decides: { ...(before && { before }), ...(after && { after }) }, ...(isTold && { cause }) };
  }

  /** Whether all texts are at hand, and no template may stand for the path. */
  #areKnown(held: Held, shown: string): boolean {
    return [...new Set([...held.before, ...held.after])].every((name) =>
      sides.every((side) => {
        const rules = this.#book.sidesOf(name)[side];
        this.#compared += rules?.length ?? 0;
        return rules?.every(({ path }) => !path.includes('{{') || !shown.startsWith(beginning(path)));
      }),
    );
  }

  #decidingRule(decider: Decider | undefined, held: Held, side: Side): DecidingRule | undefined {
    if (decider === undefined) return undefined;
    const { pattern: path, rule } = decider;
    const having = [...held[side]].filter((name) => this.#has(name, side, path));
    const [policy] = having;
    const capabilities = capabilitiesOf(rule);
    return { path, capabilities, ...(policy !== undefined && having.length === 1 && { policy }) };
  }

  /** What changes on the path that shows it, where that is one thing. */
  #causeOf({ path }: PathChange, held: Held): PathCause | undefined {
    const found: PathCause[] = [];
    for (const policy of new Set([...held.before, ...held.after])) {
      const isKept = held.before.has(policy) && held.after.has(policy);
      const side = held.before.has(policy) ? 'before' : 'after';
      const patterns = isKept ? this.#changedIn(policy) : this.#patternsIn(policy, side);
      this.#compared += patterns.size;
      if (this.#compared > mostCompared) return undefined;
      const matching = [...patterns].filter((pattern) => matches(pattern, path));
      if (isKept) found.push(...matching.map((pattern) => ({ kind: this.#kindOf(policy, pattern), policy })));
      else if (matching.length > 0)
        found.push({ kind: side === 'before' ? 'policy-lost' : 'policy-gained', policy });
      if (found.length > 1) return undefined;
    }
    return found[0];
  }

  /** Whether the broader of the two rules decides on all paths of the other: no pattern in between may come first. */
  #decidesAll({ pattern: narrow, decides }: PathChange, held: Held): boolean {
    const { before, after } = decides ?? {};
    if (!before || !after || before.pattern === after.pattern) return true;
    const [broad, side] = before.pattern === narrow ? [after, 'after' as const] : [before, 'before' as const];
    if (broad.rule.capabilities.has('root')) return true;
    if (comparePrecedence(narrow, broad.pattern) > 0) return false;
    if (!hasWildcard(narrow)) return true;
    const start = beginning(narrow);
    return [...held[side]].every((name) =>
      [...this.#patternsIn(name, side)].every((path) => {
        const other = beginning(path);
        const isApart = !start.startsWith(other) && !other.startsWith(start);
        return isApart || comparePrecedence(path, narrow) <= 0 || comparePrecedence(path, broad.pattern) >= 0;
      }),
    );
  }

  #kindOf(policy: string, pattern: string): PathCause['kind'] {
    if (!this.#has(policy, 'before', pattern)) return 'rule-new';
    return this.#has(policy, 'after', pattern) ? 'rule-changed' : 'rule-gone';
  }

  #has(policy: string, side: Side, pattern: string): boolean {
    return this.#book.sidesOf(policy)[side]?.some(({ path }) => path === pattern) === true;
  }

  #changedIn(policy: string): ReadonlySet<string> {
    const known = this.#changed.get(policy) ?? this.#book.changedPatterns([policy], new Set(), this.#numbers);
    this.#changed.set(policy, known);
    return known;
  }

  #patternsIn(policy: string, side: Side): ReadonlySet<string> {
    return new Set(this.#book.sidesOf(policy)[side]?.map(({ path }) => path));
  }
}

type Held = Record<Side, ReadonlySet<string>>;

function policiesOf(tokens: readonly Grant[], side: Side): ReadonlySet<string> {
  return new Set(tokens.flatMap((one) => one[side]));
}

/** A list is asked of a folder with its slash, and of its name. */
function matches(pattern: string, path: string): boolean {
  return isOfPattern(path, pattern) || (path.endsWith('/') && isOfPattern(path.slice(0, -1), pattern));
}

/** What can be done by a rule: `deny` is nothing, but says so. */
function capabilitiesOf(rule: Rule): string[] {
  const all = [...rule.capabilities];
  return (rule.capabilities.has('deny') ? ['deny'] : all.filter((one) => isPassable(rule, one))).sort();
}
