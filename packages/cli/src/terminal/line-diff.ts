import { createTwoFilesPatch, diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** With more changed lines, two texts have no diff. */
const mostEdits = 1000;

/** The lines of two texts, with the ones removed and added between them; undefined where too many change. */
export function boundedDiff(old: string, wanted: string): DiffLine[] | undefined {
  const parts = diffArrays(old.split('\n'), wanted.split('\n'), { maxEditLength: mostEdits });
  return parts?.flatMap(({ value, added, removed }) =>
    linesOf(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

/** The same; where too many change, the old text and the new one. */
export function lineDiff(old: string, wanted: string): DiffLine[] {
  return (
    boundedDiff(old, wanted) ?? [
      ...linesOf('removed', old.split('\n')),
      ...linesOf('added', wanted.split('\n')),
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

/** The same as `git apply` and `patch` take it; empty for equal texts. */
export function unifiedDiff(file: string, old: string, wanted: string): string {
  if (old === wanted) return '';
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, old, wanted);
  return patch.slice(patch.indexOf('--- '));
}
