import type { ChangeCounts, ChangeKind } from '../../operations/description/change-tree.ts';

const words: [ChangeKind, planned: string, done: string, found: string][] = [
  ['create', 'to create', 'created', 'found new'],
  ['import', 'to import', 'imported', 'found new'],
  ['update', 'to update', 'updated', 'found changed'],
  ['replace', 'to replace', 'replaced', 'found changed'],
  ['delete', 'to delete', 'deleted', 'found gone'],
  ['discard', 'to discard', 'discarded', 'found gone'],
];

/**
 * `1 to create, 2 to update; 37 unchanged`, or `1 created, 1 failed; 37 unchanged`.
 *
 * @param tense for a plan, an applied plan, or a refresh
 */
export function countsText(counts: ChangeCounts, tense: 'planned' | 'done' | 'found'): string {
  const changed = words
    .filter(([kind]) => (counts[kind] ?? 0) > 0)
    .map(([kind, planned, done, found]) => `${counts[kind]} ${{ planned, done, found }[tense]}`);
  if (counts.failed !== undefined) changed.push(`${counts.failed} failed`);
  const unchanged = (counts.same ?? 0) + (counts.read ?? 0);
  return `${changed.join(', ') || 'no changes'}; ${unchanged} unchanged`;
}

/** `2.3 s`, `4 min 5 s`. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
