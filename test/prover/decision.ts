import { decidePaths, type PolicySides } from '../../core/access/path-decision.ts';
import { readPolicy } from '../../core/model/policies/parse-policy.ts';
import type { Question } from './questions.ts';

export type Verdict = 'none' | 'some' | 'unknown';
export type Verdicts = Record<'gains' | 'losses', Verdict>;

/** Whether the project's decision takes questions with an unknown rest. */
export const decidesRest = false;

/** What the project's own decision says of a question. */
export function decisionOn({ before, after }: Question): Verdicts {
  // A policy is named by its text.
  const holders = [before.role, ...before.groups].map((texts, at) => ({
    who: `${at}`,
    before: texts,
    after: [after.role, ...after.groups][at] ?? [],
  }));
  const texts = new Set(holders.flatMap((holder) => [...holder.before, ...holder.after]));
  const sides = [...texts].map((text): [string, PolicySides] => {
    const rules = readPolicy(text);
    return [text, { before: rules, after: rules, isSame: true }];
  });
  const found = decidePaths([{ roles: holders.slice(0, 1), groups: holders.slice(1) }], new Map(sides));
  const verdict = (side: 'gained' | 'lost'): Verdict => {
    if (found.changes.some((change) => change.side === side)) return 'some';
    return found.undecided.some((one) => one.side === side) ? 'unknown' : 'none';
  };
  return { gains: verdict('gained'), losses: verdict('lost') };
}
