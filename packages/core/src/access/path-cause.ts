import { comparePrecedence, hasWildcard, isOfPattern, type Rule } from '../graph/policies/acl.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { addAll } from '../graph/values/sequences.ts';
import type { ChangedPaths, DecidingRule, PathCause } from './access-change.ts';
import type { Decider, PathChange } from './decide.ts';
import { RuleNumbers } from './first-match.ts';
import type { Grant } from './grants.ts';
import { isPassable } from './limits.ts';
import type { Side } from './policy-sides.ts';
import { beginning, type RuleBook } from './rule-book.ts';
import { isLimit } from './sign-in/token-limits.ts';

/** Changes that are explained: of more, no one reads each. And patterns that are looked at for it. */
const most = { changes: 100_000, patterns: 1_000_000 };

/** Which rules decide on changed paths before and after, and the one thing that makes them others. */
export class PathCauses {
  readonly #book: RuleBook;
  readonly #isMany: boolean;
  readonly #numbers = new RuleNumbers();
  readonly #policies = new Map<string, Policy | undefined>();
  readonly #found = new WeakMap<object, Map<string, Told>>();
  #compared = 0;

  /** @param changes how many there are in all */
  constructor(book: RuleBook, changes: number) {
    this.#book = book;
    this.#isMany = changes > most.changes;
  }

  /** The first change that shows it, among those on the paths of one pattern. Nothing is said where policies are not known. */
  of(changes: readonly PathChange[]): Told {
    const [shown] = changes as [PathChange];
    const { decides, by, together, cause } = shown;
    if (cause !== undefined) return { cause };
    if (this.#isMany || changes.some(({ from }) => from !== undefined)) return {};
    const tokens = [by, ...together];
    // Principals with the same policies have the same.
    const key = JSON.stringify([shown.path, tokens.map(({ before, after }) => [before, after])]);
    const found = getOrMake(this.#found, decides, () => new Map<string, Told>());
    return getOrMake(found, key, () => this.#explained(shown, decides, tokens));
  }

  #explained({ path, pattern }: PathChange, decides: Deciders, tokens: readonly Grant[]): Told {
    const had = new Set(tokens.flatMap(({ before }) => before));
    const has = new Set(tokens.flatMap(({ after }) => after));
    const held: Policy[] = [];
    // A limit of the token is no rule of a policy.
    if ([...had, ...has].some(isLimit)) return {};
    for (const name of new Set([...had, ...has])) {
      const policy = this.#policyNamed(name);
      // A template may stand for the path.
      if (policy === undefined || policy.templates.some((start) => path.startsWith(start))) return {};
      held.push(policy);
    }
    const heldBySide = {
      before: held.filter(({ name }) => had.has(name)),
      after: held.filter(({ name }) => has.has(name)),
    };
    const cause = this.#causeOf(path, heldBySide);
    const { before, after } = decides;
    // Another rule of a folder's list does not decide on the path itself.
    const isOfList = path.endsWith('/') && !pattern.endsWith('/') && before?.pattern !== after?.pattern;
    if (!before || !after || isOfList) return cause === undefined ? {} : { cause };
    const rules = {
      before: decidingRule(before, heldBySide, 'before'),
      after: decidingRule(after, heldBySide, 'after'),
    };
    const isTold = cause !== undefined && this.#decidesAll(pattern, before, after, heldBySide);
    return { decides: rules, ...(isTold && { cause }) };
  }

  /** What changes on a path, where that is one thing. */
  #causeOf(path: string, heldBySide: Record<Side, Policy[]>): PathCause | undefined {
    const found: PathCause[] = [];
    for (const policy of new Set([...heldBySide.before, ...heldBySide.after])) {
      const { name, before, after, changed } = policy;
      const [isHad, isHeld] = [heldBySide.before.includes(policy), heldBySide.after.includes(policy)];
      const patterns = isHad && isHeld ? changed : isHad ? before : after;
      this.#compared += patterns.size;
      if (this.#compared > most.patterns) return undefined;
      const matching = [...patterns].filter((pattern) => matches(pattern, path));
      if (isHad && isHeld)
        addAll(
          found,
          matching.map((one) => ({ kind: kindOf(policy, one), policy: name })),
        );
      else if (matching.length > 0)
        found.push({ kind: isHad ? 'policy-lost' : 'policy-gained', policy: name });
      if (found.length > 1) return undefined;
    }
    return found[0];
  }

  /** Whether the broader of the two rules decides wherever the other did or does: no other pattern may come first. */
  #decidesAll(narrow: string, before: Decider, after: Decider, heldBySide: Record<Side, Policy[]>): boolean {
    if (before.pattern === after.pattern) return true;
    const [side, other]: [Side, Side] = before.pattern === narrow ? ['after', 'before'] : ['before', 'after'];
    const { pattern: broad, rule } = side === 'after' ? after : before;
    if (rule.capabilities.has('root')) return true;
    if (comparePrecedence(narrow, broad) > 0) return false;
    if (!hasWildcard(narrow)) return true;
    if (!covers(broad, narrow)) return false;
    const start = beginning(narrow);
    return heldBySide[side].every((policy) => {
      this.#compared += policy[side].size;
      return [...policy[side]].every((path) => {
        const from = beginning(path);
        if (!start.startsWith(from) && !from.startsWith(start)) return true;
        if (comparePrecedence(path, broad) >= 0) return true;
        // What comes before both, then and now, decides its own paths.
        return comparePrecedence(path, narrow) < 0 && heldBySide[other].some((one) => one[other].has(path));
      });
    });
  }

  /** Undefined where its text is not at hand on a side. */
  #policyNamed(name: string): Policy | undefined {
    return getOrMake(this.#policies, name, () => {
      const { before, after } = this.#book.sidesOf(name);
      const was = new Set(before?.map(({ path }) => path));
      const is = new Set(after?.map(({ path }) => path));
      const changed = this.#book.changedPatterns([name], new Set(), this.#numbers);
      const templates = [...was, ...is].filter((path) => path.includes('{{')).map(beginning);
      return before && after && { name, before: was, after: is, changed, templates };
    });
  }
}

type Told = Pick<ChangedPaths, 'decides' | 'cause'>;
type Deciders = PathChange['decides'];
type Names = ReadonlySet<string>;

interface Policy extends Record<Side, Names> {
  name: string;
  /** Patterns with another rule than before. */
  changed: Names;
  /** What patterns with a template begin with. */
  templates: string[];
}

function kindOf({ before, after }: Policy, pattern: string): PathCause['kind'] {
  if (!before.has(pattern)) return 'rule-new';
  return after.has(pattern) ? 'rule-changed' : 'rule-gone';
}

function decidingRule(
  { pattern, rule }: Decider,
  heldBySide: Record<Side, Policy[]>,
  side: Side,
): DecidingRule {
  const having = heldBySide[side].filter((one) => one[side].has(pattern));
  const [first] = having;
  const capabilities = capabilitiesOf(rule);
  return { path: pattern, capabilities, ...(first && having.length === 1 && { policy: first.name }) };
}

/** Whether a pattern is known to match all that another one does. */
function covers(broad: string, narrow: string): boolean {
  const isPrefix = broad.endsWith('*');
  const wanted = (isPrefix ? broad.slice(0, -1) : broad).split('/');
  const given = narrow.split('/');
  if (isPrefix ? given.length < wanted.length : given.length !== wanted.length || narrow.endsWith('*'))
    return false;
  return wanted.every((part, at) => {
    const segment = given[at] ?? '';
    return (
      part === '+' || part === segment || (isPrefix && at === wanted.length - 1 && segment.startsWith(part))
    );
  });
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
