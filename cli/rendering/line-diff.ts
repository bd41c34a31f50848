export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Above this many pairs of lines a diff says no more than that all is new. */
const comparisonLimit = 1_000_000;

/** The lines of two texts, with what was removed and added between them (longest common subsequence). */
export function lineDiff(old: string, wanted: string): DiffLine[] {
  const before = old.split('\n');
  const after = wanted.split('\n');
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...lines('same', before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...lines('same', before.slice(before.length - end)),
  ];
}

function middle(before: string[], after: string[]): DiffLine[] {
  if (before.length * after.length > comparisonLimit) {
    return [...lines('removed', before), ...lines('added', after)];
  }
  // common[i][j]: how many lines before[i…] and after[j…] have in common, in order.
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = common[i] as Uint32Array;
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      result.push({ kind: 'same', text: before[i] ?? '' });
      i++;
      j++;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      result.push({ kind: 'removed', text: before[i++] ?? '' });
    } else {
      result.push({ kind: 'added', text: after[j++] ?? '' });
    }
  }
  return result;
}

function lines(kind: DiffLine['kind'], texts: string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** Keeps the changed lines and `context` lines around them; `…` stands for what is left out. */
export function withContext(diff: DiffLine[], context: number): DiffLine[] {
  const near = diff.map((_, index) =>
    diff.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  );
  return diff.flatMap((line, index) => {
    if (near[index]) return [line];
    return index === 0 || near[index - 1] ? [{ kind: 'same' as const, text: '…' }] : [];
  });
}
