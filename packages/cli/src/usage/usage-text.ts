import { count } from '@gatehouse/core/review';
import { partName } from '@gatehouse/core/values';
import { given, printable, type Style } from '../terminal/style.ts';
import { columnWidths, sideBySide } from '../terminal/table.ts';
import type { UsageReport } from './usage.ts';

/** Age in days below which logs, or a file, are too young to call anything unused. */
const young = 30;
/** Most rows of a table. */
const most = 20;
const day = 86_400_000;
const hour = 3_600_000;

/** What a log says of a service, for people. */
export function usageText(report: UsageReport, style: Style, now: number, columns = 100): string {
  const { from, to, entries, signIns, used, refused, refusedSignIns, answers, untold, missing, bytes } =
    report;
  if (from === undefined || to === undefined) return `No entries in ${count(report.lines, 'line')}.\n`;
  const days = Math.max(1, Math.round((to - from) / day));
  const known = answers.same + answers.other;
  const unknown = Object.values(answers.unknown).reduce((sum, one) => sum + one, 0);
  const row = (cells: string[][]) => table(cells, columns);
  const roles = used.filter(({ kind, used: is }) => kind === 'role' && is === 'yes');
  const isPolicyIdle = (name: string) =>
    used.some((one) => one.kind === 'policy' && one.name === name && one.used === 'no');
  const idle = used.filter(
    ({ used: is, kind, name }) => is === 'no' && !(kind === 'rule' && isPolicyIdle(name)),
  );
  const unread = bytes.unread === 0 ? [] : used.filter(({ used: is }) => is === 'maybe');
  return given(
    style.strong(
      `${dateOf(from)} to ${dateOf(to)}, ${count(days, 'day')}: ${count(known + unknown, 'request')}, ${count(signIns, 'sign-in')}.`,
    ),
    '',
    section(
      style.strong('SIGNED IN AS'),
      row(
        roles.map((one) => [
          wordsOf(one),
          count(one.count, 'sign-in'),
          count(one.people, 'person or job', 'people or jobs'),
          `last ${dateOf(one.last ?? to)}`,
        ]),
      ),
    ),
    section(style.strong('NOT USED'), row(idle.map((one) => [ageOf(one, { from, to }, now), wordsOf(one)]))),
    section(
      style.strong('NOT KNOWN'),
      row(unread.map((one) => ['lines that were not read may have used it', wordsOf(one)])),
    ),
    section(
      style.strong('REFUSED'),
      row([
        ...refused.map((one) => [
          one.by || 'a role that the log does not name',
          `${one.operation} ${one.path}`.trim(),
          `${one.count} of ${one.people}`,
          `request ${one.id}`,
        ]),
        ...refusedSignIns.map((one) => [
          `auth/${one.method}`,
          'sign-in',
          String(one.count),
          `last ${dateOf(one.last)}`,
        ]),
      ]),
    ),
    answersText(answers, known, unknown),
    entries > 0 && untold.length > 0 && `Not told: ${untold.join('; ')}.`,
    missing.length > 0 && `Not read: ${missing.join('; ')}.`,
    days < young
      ? `${count(days, 'day')} of logs: too short to call a grant unused.`
      : 'A grant without use may still be needed, once a year.',
  )
    .map((line) => printable(line).trimEnd())
    .join('\n')
    .concat('\n');
}

function answersText(
  { same, other, unknown }: UsageReport['answers'],
  known: number,
  undecided: number,
): string {
  const answered = `${same} of ${count(known, 'answer')} ${known === 1 ? 'is' : 'are'} those of the policies as they are`;
  const changed = other > 0 ? `; ${other} are not: policies have changed since` : '';
  const [reason] = Object.entries(unknown).sort(([, one], [, another]) => another - one)[0] ?? [];
  return `${answered}${changed}${undecided > 0 ? `; ${undecided} not known: ${reason}` : ''}.`;
}

function section(title: string, rows: string[]): string[] {
  if (rows.length === 0) return [];
  const leftOut = rows.length > most ? [`  and ${rows.length - most} more: --json`] : [];
  return [title, ...rows.slice(0, most).map((line) => `  ${line}`), ...leftOut, ''];
}

function table(rows: string[][], columns: number): string[] {
  const texts = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? ''));
  const shares = [0.3, 0.35, 0.1].slice(0, Math.max(0, texts.length - 1));
  const widths = columnWidths(texts, shares, columns - 2);
  const cells = rows.map((row) => row.map((cell) => [cell]));
  return cells.flatMap((row) => sideBySide(row, widths));
}

function wordsOf({ kind, name, pattern }: UsageReport['used'][number]): string {
  if (kind === 'rule') return `rule ${pattern} of ${partName('policy', name)}`;
  return partName(kind, kind === 'role' ? name.replace(/^auth\//, '') : name);
}

/** A log that ended long ago does not have what was made since. */
function ageOf(
  { written, kind }: UsageReport['used'][number],
  { from, to }: { from: number; to: number },
  now: number,
): string {
  if (written === undefined) {
    if (kind === 'group') return 'age not known';
    return now - to < hour
      ? `older than ${dateOf(from)}`
      : `older than ${dateOf(from)}, or made after ${dateOf(to)}`;
  }
  const days = Math.floor((now - written) / day);
  const age = days === 0 ? 'written today' : `written ${count(days, 'day')} ago`;
  return days < young ? `${age}: too young to tell` : age;
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
