import { readFileSync } from 'node:fs';

/** What a platform process has done, as it writes it to its journal. */
interface JournalLine {
  what: string;
  stack: string;
  pid: number;
  /** Of an apply. */
  passes?: number;
  isResumed?: boolean;
}

/** The lines of a journal, in order. */
export function readJournal(path: string): JournalLine[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
