import { strongestAnswer } from '@gatehouse/core/access';
import type { WhoCanReport } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import type { OfStack } from '../open/stack-outcomes.ts';
import { generalKey, problemLines } from '../terminal/many-stacks-text.ts';

/** Names that are shown of the stacks that a row is for. */
const most = 8;

/**
 * One answer for several stacks: who is the same in some of them is one row, which names them. A stack that could not be
 * asked is missing from the answer.
 */
export function whoCanInStacks(
  outcomes: readonly OfStack<WhoCanReport>[],
  question: Pick<WhoCanReport, 'capability' | 'path' | 'source'>,
): { report: WhoCanReport; unread: number } {
  const read = outcomes.flatMap((outcome) => ('result' in outcome ? outcome : []));
  const merged = <Part>(partsOf: (report: WhoCanReport) => readonly Part[]) =>
    [
      ...Map.groupBy(
        read.flatMap((of) => partsOf(of.result).map((part) => ({ part, of }))),
        ({ part, of }) => generalKey(part, of),
      ).values(),
    ].map((all) => ({
      part: (all[0] as { part: Part }).part,
      stacks: shortened([...new Set(all.map(({ of }) => of.stack))], most),
    }));
  const answers = read.map(({ result }) => result.answer);
  const unread = problemLines(outcomes).map((line) => line.replace(/^\? /, ''));
  const report: WhoCanReport = {
    ...question,
    answer: strongestAnswer(unread.length > 0 ? [...answers, 'unknown'] : answers),
    abilities: merged(({ abilities }) => abilities)
      .map(({ part, stacks }) => ({ ...part, server: stacks }))
      .sort((a, b) => Number(a.can === 'unknown') - Number(b.can === 'unknown')),
    administrators: merged(({ administrators }) => administrators).map(({ part, stacks }) => ({
      ...part,
      server: stacks,
    })),
    missing: [
      ...merged(({ missing }) => missing).map(({ part, stacks }) => `${part} (${stacks})`),
      ...unread,
    ],
    tokens: read.every(({ result }) => result.tokens),
  };
  return { report, unread: outcomes.length - read.length };
}
