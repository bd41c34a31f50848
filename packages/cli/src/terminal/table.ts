import { largestOf } from '@gatehouse/core/values';
import { Help } from 'commander';

const help = new Help();
help.minWidthToWrap = 4;

/** A text in lines of at most a width, each indented; a word that is longer is broken. */
export function inWidth(text: string, width: number, indent = 0): string[] {
  const room = Math.max(width - indent, 4);
  const lines = help
    .boxWrap(text, room)
    .split('\n')
    .flatMap((line) => pieces(line, room));
  return lines.map((line) => ' '.repeat(indent) + line);
}

function pieces(line: string, width: number): string[] {
  const signs = [...line];
  const count = Math.max(1, Math.ceil(signs.length / width));
  return Array.from({ length: count }, (_, at) => signs.slice(at * width, (at + 1) * width).join(''));
}

/** Columns of lines, next to each other. */
export function sideBySide(columns: readonly (readonly string[])[], widths: readonly number[]): string[] {
  const height = largestOf(columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, at) => padded(lines[line] ?? '', widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - help.displayWidth(text), 0));
}

/** Widths of columns that fit: what the longest text takes, but no more than a share; the last column has the rest. */
export function columnWidths(
  texts: readonly (readonly string[])[],
  shares: readonly number[],
  total: number,
): number[] {
  const room = total - 2 * (texts.length - 1);
  const widths = shares.map((share, at) => {
    const longest = largestOf(
      (texts[at] ?? []).map((text) => help.displayWidth(text)),
      1,
    );
    return Math.min(longest, Math.floor(room * share));
  });
  return [...widths, room - widths.reduce((sum, width) => sum + width, 0)];
}
