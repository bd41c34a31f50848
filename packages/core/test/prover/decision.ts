import { anyRest } from '../../src/access/any-rest.ts';
import { decide } from '../../src/access/decide.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import { readPolicy } from '../../src/graph/policies/parse-policy.ts';
import type { Question } from './questions.ts';

export type Verdict = 'none' | 'some' | 'unknown';
export type Verdicts = Record<'gains' | 'losses', Verdict>;

/** Whether the project's decision takes questions with an unknown rest. */
export const decidesRest = true;

/** What the project's own decision says of a question. */
export function decisionOn({ before, after, rest }: Question): Verdicts {
  // A policy is named by its text.
  const grants = [before.role, ...before.groups].map((texts, at) => ({
    by: `${at}`,
    before: texts,
    after: [after.role, ...after.groups][at] ?? [],
  }));
  const texts = new Set(grants.flatMap((grant) => [...grant.before, ...grant.after]));
  const sides = [...texts].map((text): [string, PolicySides] => {
    const rules = readPolicy(text);
    return [text, { before: rules, after: rules, isSame: true }];
  });
  const book = new RuleBook(new Map(sides), 0n);
  const found = decide([{ roles: grants.slice(0, 1), groups: grants.slice(1) }], book);
  const mayGain = anyRest(book);
  const verdict = (direction: 'gained' | 'lost'): Verdict => {
    if (found.changes.some((change) => change.direction === direction)) return 'some';
    const isOpen = grants.some(
      (grant) =>
        rest &&
        mayGain(direction === 'gained' ? grant : { before: grant.after, after: grant.before }) !== undefined,
    );
    const isUndecided = found.undecided.some((one) => one.direction === direction);
    return isOpen || isUndecided ? 'unknown' : 'none';
  };
  return { gains: verdict('gained'), losses: verdict('lost') };
}
