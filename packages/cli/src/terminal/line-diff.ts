import { createTwoFilesPatch, diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** With more changed lines, two texts have no diff. */
const mostEdits = 1000;

/** The lines of two texts, with the ones removed and added between them; undefined where too many change. */
export function boundedDiff(before: string, after: string): DiffLine[] | undefined {
  const parts = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: mostEdits });
  return parts?.flatMap(({ value, added, removed }) =>
    linesOf(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

/** The lines of two texts as `boundedDiff` has them; if too many change, all of the first, then all of the second. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return (
    boundedDiff(before, after) ?? [
      ...linesOf('removed', before.split('\n')),
      ...linesOf('added', after.split('\n')),
    ]
  );
}

function linesOf(kind: DiffLine['kind'], texts: string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** Keeps the changed lines and `context` lines around them; `…` stands for the lines left out. */
export function withContext(diff: DiffLine[], context: number): DiffLine[] {
  const near = diff.map((_, index) =>
    diff.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  );
  return diff.flatMap((line, index) => {
    if (near[index]) return [line];
    return index === 0 || near[index - 1] ? [{ kind: 'same' as const, text: '…' }] : [];
  });
}

/** A diff for `git apply` and `patch`; empty for equal texts. */
export function unifiedDiff(file: string, before: string, after: string): string {
  if (before === after) return '';
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after);
  return patch.slice(patch.indexOf('--- '));
}
