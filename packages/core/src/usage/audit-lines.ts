import { jsonIn } from '../graph/values/json.ts';
import { type AuditEntry, readAuditLine } from './audit-line.ts';
import { LineParts } from './line-parts.ts';
import { isOtherLine } from './other-lines.ts';
import { isEntry, isOfOthers, type UnwrappedLine, unwrapped } from './wrappers.ts';

/** Records of collectors within each other. */
const deepest = 4;

/** Reads a log that grows, line by line, as it is or as collectors pass it on. Keeps no more than lines that are split. */
export class AuditLines {
  readonly #parts = new LineParts();

  /** @returns the entries of responses in a line; `unread` for each text in it that may hold another one */
  entriesIn(line: string): (AuditEntry | 'in-clear' | 'unread')[] {
    return linesWithin(line, this.#parts).flatMap((text) => {
      const entry = readAuditLine(text);
      if (entry === 'request' || isOtherLine(text)) return [];
      return typeof entry === 'string' && entry !== 'in-clear' ? 'unread' : entry;
    });
  }
}

/**
 * The lines of a log that a line of a file holds: itself, or those that a collector passed on in it. None where it is a part of
 * one that is not there whole yet, or holds a line of something else.
 *
 * @param parts of the same file, which are put together
 */
function linesWithin(line: string, parts: LineParts): string[] {
  const part = line.startsWith('{') ? undefined : parts.ofRuntime(line);
  return part === undefined ? within(line, parts, deepest) : joined(part, parts, deepest);
}

function within(line: string, parts: LineParts, depth: number): string[] {
  const start = line.indexOf('{');
  const isPlain =
    start === -1 || (line.startsWith('{"time":"', start) && line.indexOf('"type":"re', start) !== -1);
  if (isPlain || depth === 0) return [line];
  const record = jsonIn(line.slice(start));
  const lines = record === undefined || isEntry(record) ? undefined : unwrapped(record);
  return lines === undefined ? [line] : lines.flatMap((inner) => joined(inner, parts, depth - 1));
}

function joined(part: UnwrappedLine, parts: LineParts, depth: number): string[] {
  const whole = parts.joined(part, 0);
  return whole === undefined || isOfOthers(whole.text) ? [] : within(whole.text, parts, depth);
}
