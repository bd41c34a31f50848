import { type Graph, isComplete } from '../graph/graph.ts';
import { builtInRules } from '../graph/policies/default-policy.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { PolicyTexts } from '../graph/policies/policy-texts.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { closedBy } from './sign-in/token-limits.ts';

export type Side = 'before' | 'after';

/** What a policy says before and after; undefined where its text is missing or cannot be read. */
export interface PolicySides {
  before: PathRule[] | undefined;
  after: PathRule[] | undefined;
  /** Whether the text is the same on both sides, known or not. */
  isSame: boolean;
}

const everything: PathRule = { path: '*', capabilities: ['root'] };

/**
 * What every policy says before and after, by its name. One that is on one side only is made or deleted; one that is on
 * neither is elsewhere, and stays, or gives nothing where all policies are known and its name has no template. Policies that
 * servers come with, such as `default`, have that text unless another is given. `root` allows everything, whatever its text.
 */
export function policySides(names: Iterable<string>, before: Graph, after: Graph): Map<string, PolicySides> {
  const [was, is] = [new PolicyTexts([...before.policies]), new PolicyTexts([...after.policies])];
  const hasAll = isComplete(before, 'policies') && isComplete(after, 'policies');
  const rulesIn = (texts: PolicyTexts, name: string, isElsewhere: boolean) => {
    if (texts.text(name) !== undefined) return texts.rules(name);
    return builtInRules(name) ?? (isElsewhere ? undefined : []);
  };
  return new Map(
    [...names].map((name) => {
      if (name === 'root') return [name, { before: [everything], after: [everything], isSame: true }];
      const closed = closedBy(name);
      if (closed !== undefined) return [name, { before: closed, after: closed, isSame: true }];
      const [old, wanted] = [was.text(name), is.text(name)];
      const isElsewhere = old === undefined && wanted === undefined && !(hasAll && !name.includes('{{'));
      const sides = { before: rulesIn(was, name, isElsewhere), after: rulesIn(is, name, isElsewhere) };
      const isSame =
        old === wanted ||
        (sides.before !== undefined &&
          sides.after !== undefined &&
          sortedJson(sides.before) === sortedJson(sides.after));
      return [name, { ...sides, isSame }];
    }),
  );
}
