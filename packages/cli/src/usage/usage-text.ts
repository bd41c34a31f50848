import { count } from '@gatehouse/core/review';
import { partName } from '@gatehouse/core/values';
import { missingFromLogWords, usageReasonWords } from '@gatehouse/core/words';
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
  const { from, to, entries, signIns, answers, untold, missing } = report;
  if (from === undefined || to === undefined) return `No entries in ${count(report.lines, 'line')}.\n`;
  const days = Math.max(1, Math.round((to - from) / day));
  const known = answers.same + answers.other;
  const unknown = answers.unknown.reduce((sum, { count: requests }) => sum + requests, 0);
  const titled = (title: string, rows: string[][]) => section(style.strong(title), table(rows, columns));
  return given(
    style.strong(
      `${dateOf(from)} to ${dateOf(to)}, ${count(days, 'day')}: ${count(known + unknown, 'request')}, ${count(signIns, 'sign-in')}.`,
    ),
    '',
    titled('SIGNED IN AS', signInRows(report, to)),
    titled('NOT USED', idleRows(report, { from, to }, now)),
    titled('NOT KNOWN', unreadRows(report)),
    titled('REFUSED', refusedRows(report)),
    answersText(answers, known, unknown),
    entries > 0 && untold.length > 0 && `Not told: ${untold.map(missingFromLogWords).join('; ')}.`,
    missing.length > 0 && `Not read: ${missing.join('; ')}.`,
    days < young
      ? `${count(days, 'day')} of logs: too short to call a grant unused.`
      : 'A grant without use may still be needed, once a year.',
  )
    .map((line) => printable(line).trimEnd())
    .join('\n')
    .concat('\n');
}

/** The same as JSON: what is missing as data, and in words. */
export function usageJson({ answers, untold, ...report }: UsageReport): object {
  return {
    ...report,
    answers: {
      ...answers,
      unknown: answers.unknown.map(({ missing, count: requests }) => ({
        missing: { ...missing, words: usageReasonWords(missing) },
        count: requests,
      })),
    },
    untold: untold.map((missing) => ({ ...missing, words: missingFromLogWords(missing) })),
  };
}

/** Roles that someone signed in as. */
function signInRows({ used }: UsageReport, to: number): string[][] {
  return used
    .filter((grant) => grant.kind === 'role' && grant.used === 'yes')
    .map((role) => [
      wordsOf(role),
      count(role.count, 'sign-in'),
      count(role.people, 'person or job', 'people or jobs'),
      `last ${dateOf(role.last ?? to)}`,
    ]);
}

/** Grants that no one used; the rules of an unused policy are not listed. */
function idleRows({ used }: UsageReport, logs: { from: number; to: number }, now: number): string[][] {
  const isPolicyIdle = (name: string) =>
    used.some((grant) => grant.kind === 'policy' && grant.name === name && grant.used === 'no');
  return used
    .filter((grant) => grant.used === 'no' && !(grant.kind === 'rule' && isPolicyIdle(grant.name)))
    .map((grant) => [ageOf(grant, logs, now), wordsOf(grant)]);
}

/** Grants that lines which could not be read may have used. */
function unreadRows({ used, bytes }: UsageReport): string[][] {
  if (bytes.unread === 0) return [];
  return used
    .filter((grant) => grant.used === 'maybe')
    .map((grant) => ['lines that were not read may have used it', wordsOf(grant)]);
}

/** Requests and sign-ins that were refused. */
function refusedRows({ refused, refusedSignIns }: UsageReport): string[][] {
  return [
    ...refused.map((request) => [
      request.by || 'a role that the log does not name',
      `${request.operation} ${request.path}`.trim(),
      `${request.count} of ${request.people}`,
      `request ${request.id}`,
    ]),
    ...refusedSignIns.map((signIn) => [
      `auth/${signIn.method}`,
      'sign-in',
      String(signIn.count),
      `last ${dateOf(signIn.last)}`,
    ]),
  ];
}

function answersText(
  { same, other, unknown }: UsageReport['answers'],
  known: number,
  undecided: number,
): string {
  const answered = `${same} of ${count(known, 'answer')} ${known === 1 ? 'is' : 'are'} those of the policies as they are`;
  const changed = other > 0 ? `; ${other} are not: policies have changed since` : '';
  const [frequent] = unknown.toSorted((left, right) => right.count - left.count);
  const undecidedText =
    frequent === undefined ? '' : `; ${undecided} not known: ${usageReasonWords(frequent.missing)}`;
  return `${answered}${changed}${undecidedText}.`;
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
