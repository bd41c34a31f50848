import { cut } from '@gatehouse/core/values';
import { boundedDiff } from '../terminal/line-diff.ts';
import type { PropertyChange } from './property-changes.ts';
import { Placeholder, type ShownValue } from './shown-value.ts';

/** Lines of one resource. The preview of the command shows all of them. */
const mostLines = 30;
/** Characters of a line. */
const longestLine = 300;

/** Property differences as lines of plain text: `ttl: 10m → 15m`. They hold no secret, as shown values hold none. */
export function differenceLines(changes: readonly PropertyChange[]): string[] {
  const lines = changes.flatMap((change) => {
    const [first = '', ...rest] = propertyChangeLines(change);
    return [`${change.path}: ${first}${change.replaces ? ' (forces a replacement)' : ''}`.trimEnd(), ...rest];
  });
  const left = lines.length - mostLines;
  const all = left > 0 ? [...lines.slice(0, mostLines), `… and ${left} more lines`] : lines;
  return all.map((line) => cut(line, longestLine));
}

function propertyChangeLines(change: PropertyChange): string[] {
  switch (change.kind) {
    case 'added':
      return [`– → ${shownValueText(change.new)}`];
    case 'removed':
      return [`${shownValueText(change.old)} → –`];
    case 'differs':
      return ['differs on the service'];
    case 'entries':
      return [
        [
          ...change.added.map((entry) => `+ ${shownValueText(entry)}`),
          ...change.removed.map((entry) => `- ${shownValueText(entry)}`),
        ].join(', '),
      ];
    case 'changed':
      return isLong(change.old) && isLong(change.new)
        ? ['', ...textLines(change.old, change.new)]
        : [`${shownValueText(change.old)} → ${shownValueText(change.new)}`];
  }
}

function isLong(value: ShownValue): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n');
}

/** The lines that are added and removed, in their order. */
function textLines(before: string, after: string): string[] {
  const diff = boundedDiff(before, after);
  if (diff === undefined) return [`  another text of ${after.split('\n').length} lines`];
  return diff.flatMap(({ kind, text }) =>
    kind === 'same' ? [] : [`  ${kind === 'added' ? '+' : '-'} ${text}`],
  );
}

function shownValueText(value: ShownValue): string {
  if (value instanceof Placeholder) return value.text;
  if (Array.isArray(value)) return `[${value.map(shownValueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, entry]) => `${name}: ${shownValueText(entry)}`)
    .join(', ')} }`;
}
