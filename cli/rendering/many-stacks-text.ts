import { shortened } from '../../core/model/values/cut.ts';
import { count } from '../../core/review/reports/words.ts';
import type { DriftReport } from '../../operations/drift.ts';
import type { OfStack } from '../../operations/many-stacks.ts';
import { driftText } from './drift-text.ts';
import { printable, type Style } from './style.ts';

/** Names that are shown of stacks with the same report. */
const most = 8;

/** Drift of several stacks: what is the same is said once, then what could not be read, then a count. */
export function manyDriftText(
  found: readonly OfStack<DriftReport>[],
  style: Style,
  columns?: number,
): string {
  const read = found.flatMap((one) => ('result' in one ? one : []));
  const failed = found.flatMap((one) => ('problem' in one ? one : []));
  const textOf = (result: DriftReport, address: string) => driftText({ ...result, address }, style, columns);
  const groups = [...Map.groupBy(read, ({ result }) => textOf(result, ''))];
  // No drift is a line alone, and the least to look at.
  const ordered = groups.toSorted(([one], [other]) => other.split('\n').length - one.split('\n').length);
  const counts = [
    `${found.length} stacks`,
    ...(groups.length < read.length ? [count(groups.length, 'different report')] : []),
    ...(failed.length > 0 ? [`${failed.length} not read`] : []),
  ];
  return [
    ...ordered.flatMap(([, [first, ...others]]) => {
      if (first === undefined) return [];
      const names = [first, ...others].map(({ stack }) => stack);
      const several = `the same in ${names.length} stacks (${shortened(names, most)})`;
      return textOf(first.result, others.length > 0 ? several : first.stack);
    }),
    ...failed.map(
      ({ stack, problem }) =>
        `${style.removed('?')} ${stack}: ${printable(problem.message.split('\n')[0] ?? '')}\n`,
    ),
    `${counts.join('; ')}\n`,
  ].join('\n');
}
