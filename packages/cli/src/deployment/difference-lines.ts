import { cut } from '@gatehouse/core/values';
import { boundedDiff } from '../terminal/line-diff.ts';
import type { PropertyChange } from './property-changes.ts';
import { Placeholder, type ShownValue } from './shown-value.ts';

/** Lines of one resource, and characters of a line. The preview of the command has all. */
const mostLines = 30;
const longestLine = 300;

/** Property differences as lines of plain text: `ttl: 10m → 15m`. They hold no secret, as shown values hold none. */
export function differenceLines(changes: readonly PropertyChange[]): string[] {
  const lines = changes.flatMap((change) => {
    const [first = '', ...rest] = linesOf(change);
    return [`${change.path}: ${first}${change.replaces ? ' (forces a replacement)' : ''}`.trimEnd(), ...rest];
  });
  const left = lines.length - mostLines;
  const all = left > 0 ? [...lines.slice(0, mostLines), `… and ${left} more lines`] : lines;
  return all.map((line) => cut(line, longestLine));
}

function linesOf(change: PropertyChange): string[] {
  switch (change.kind) {
    case 'added':
      return [`– → ${valueText(change.new)}`];
    case 'removed':
      return [`${valueText(change.old)} → –`];
    case 'differs':
      return ['differs on the service'];
    case 'entries':
      return [
        [
          ...change.added.map((entry) => `+ ${valueText(entry)}`),
          ...change.removed.map((entry) => `- ${valueText(entry)}`),
        ].join(', '),
      ];
    case 'changed':
      return isLong(change.old) && isLong(change.new)
        ? ['', ...textLines(change.old, change.new)]
        : [`${valueText(change.old)} → ${valueText(change.new)}`];
  }
}

function isLong(value: ShownValue): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n');
}

/** The lines that come and go, in their order. */
function textLines(old: string, wanted: string): string[] {
  const diff = boundedDiff(old, wanted);
  if (diff === undefined) return [`  another text of ${wanted.split('\n').length} lines`];
  return diff.flatMap(({ kind, text }) =>
    kind === 'same' ? [] : [`  ${kind === 'added' ? '+' : '-'} ${text}`],
  );
}

function valueText(value: ShownValue): string {
  if (value instanceof Placeholder) return value.text;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${valueText(one)}`)
    .join(', ')} }`;
}
