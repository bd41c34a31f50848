import { shortened } from '../../core/model/values/cut.ts';
import { count } from '../../core/review/reports/words.ts';
import type { DriftReport } from '../../operations/drift.ts';
import type { OfStack } from '../../operations/many-stacks.ts';
import { driftText } from './drift-text.ts';
import { printable, type Style } from './style.ts';

/** Names that are shown of stacks of which the same is said. */
const most = 8;

/** Drift of several stacks: what is the same is said once, then what could not be read, then a count. */
export function manyDriftText(
  found: readonly OfStack<DriftReport>[],
  style: Style,
  columns?: number,
): string {
  const read = found.flatMap((one) => ('result' in one ? one : []));
  const alike = [
    ...Map.groupBy(read, ({ result }) => driftText({ ...result, address: '' }, style, columns)).values(),
  ];
  // No drift is a line alone, and the least to look at.
  const ordered = alike.toSorted((one, other) => linesOf(other) - linesOf(one));
  const failed = found.flatMap((one) => ('problem' in one ? one : []));
  const counts = [
    `${found.length} stacks`,
    ...(alike.length < read.length ? [count(alike.length, 'different report')] : []),
    ...(failed.length > 0 ? [`${failed.length} not read`] : []),
  ];
  return [
    ...ordered.flatMap((same) => {
      const names = same.map(({ stack }) => stack);
      const [{ result } = { result: undefined }] = same;
      const several =
        names.length > 1 ? `the same in ${names.length} stacks (${shortened(names, most)})` : names[0];
      return result === undefined ? [] : driftText({ ...result, address: several ?? '' }, style, columns);
    }),
    ...failed.map(
      ({ stack, problem }) =>
        `${style.removed('?')} ${stack}: ${printable(problem.message.split('\n')[0] ?? '')}\n`,
    ),
    `${counts.join('; ')}\n`,
  ].join('\n');

  function linesOf([first]: typeof read): number {
    return first === undefined ? 0 : driftText(first.result, style, columns).split('\n').length;
  }
}
