import { strongestAnswer } from '@gatehouse/core/access';
import { shortened } from '@gatehouse/core/values';
import type { OfStack } from '../open/many-stacks.ts';
import { generalKey, problemLines } from '../terminal/many-stacks-text.ts';
import type { WhoCanReport } from './who-can.ts';

/** Names that are shown of the stacks that a row is for. */
const most = 8;

/**
 * One answer for several stacks: who is the same in some of them is one row, which names them. A stack that could not be
 * asked is missing from the answer.
 */
export function whoCanInStacks(
  found: readonly OfStack<WhoCanReport>[],
  asked: Pick<WhoCanReport, 'capability' | 'path' | 'source'>,
): { report: WhoCanReport; unread: number } {
  const read = found.flatMap((one) => ('result' in one ? one : []));
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
  const unread = problemLines(found).map((line) => line.replace(/^\? /, ''));
  const report: WhoCanReport = {
    ...asked,
    answer: strongestAnswer(unread.length > 0 ? [...answers, 'unknown'] : answers),
    abilities: merged(({ abilities }) => abilities)
      .map(({ part, stacks }) => ({ ...part, server: stacks }))
      .sort((one, other) => Number(one.can === 'unknown') - Number(other.can === 'unknown')),
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
  return { report, unread: found.length - read.length };
}
