import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** With more changed lines, a diff shows only the old text and the new one. */
const mostEdits = 1000;

/** The lines of two texts, with the ones removed and added between them. */
export function lineDiff(old: string, wanted: string): DiffLine[] {
  const [before, after] = [old.split('\n'), wanted.split('\n')];
  const all = [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return (diffArrays(before, after, { maxEditLength: mostEdits }) ?? all).flatMap(
    ({ value, added, removed }) => {
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      return value.map((text) => ({ kind, text }));
    },
  );
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
