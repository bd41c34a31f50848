import { type Rule, united } from '../graph/policies/acl.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';

/** A rule that decides on a class of paths. */
export interface Match {
  /** Place in the order of precedence, 0 first; infinite where no rule matches. */
  rank: number;
  rule?: Rule;
}

export const noMatch: Match = { rank: Number.POSITIVE_INFINITY };

/** What decides where the policies of all these are held together: of the first pattern, the rules of all of them. */
export function firstMatch(parts: Iterable<Match | undefined>): Match {
  let found = noMatch;
  let root: Match | undefined;
  for (const part of parts) {
    if (part?.rule === undefined) continue;
    if (part.rule.closes) return part;
    // A token of policy root is asked nothing else.
    if (part.rule.capabilities.has('root')) root = part;
    if (part.rank > found.rank) continue;
    if (part.rank < found.rank || found.rule === undefined) found = part;
    else if (part.rule !== found.rule) found = { rank: found.rank, rule: bothOf(found.rule, part.rule) };
  }
  return root ?? found;
}

/** Rules that were united: the same two meet on many classes of paths, and one object is read once. */
const pairs = new WeakMap<Rule, WeakMap<Rule, Rule>>();

function bothOf(one: Rule, other: Rule): Rule {
  const ofOne = getOrMake(pairs, one, () => new WeakMap<Rule, Rule>());
  return getOrMake(ofOne, other, () => united(one, asPathRule(other)));
}

export function asPathRule(rule: Rule): PathRule {
  return { ...rule, capabilities: [...rule.capabilities] };
}

export function isDenial({ rule }: Match): boolean {
  return rule?.capabilities.has('deny') === true;
}

/** Whether a rule gives a capability, whatever else it limits. */
export function gives({ capabilities }: Pick<Rule, 'capabilities'>, capability: string): boolean {
  return !capabilities.has('deny') && (capabilities.has(capability) || capabilities.has('root'));
}

/** The capabilities that a match gives, of those that can be asked there: a folder is listed, all else is asked of names. */
export function granted({ rule }: Match, asks: 'list' | 'others'): string[] {
  if (rule === undefined || rule.capabilities.has('deny')) return [];
  return [...rule.capabilities].filter((one) => one === 'root' || (one === 'list') === (asks === 'list'));
}

/** Numbers rules, the same for rules that say the same: so they are compared without reading them again. */
export class RuleNumbers {
  readonly #byText = new Map<string, number>();
  readonly #known = new WeakMap<Rule, number>();

  of(rule: Rule | undefined): number | undefined {
    if (rule === undefined) return undefined;
    return getOrMake(this.#known, rule, () => {
      const { path, capabilities, expires: _, ...limits } = rule;
      const text = JSON.stringify([path, [...capabilities].sort(), sortedJson(limits)]);
      return getOrMake(this.#byText, text, () => this.#byText.size);
    });
  }
}
