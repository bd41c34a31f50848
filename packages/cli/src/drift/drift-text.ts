import { type Difference, formatDuration, knownWords, subjectName } from '@gatehouse/core/graph';
import { accessLines, count, foldPlaces, sameWords, verdictWords } from '@gatehouse/core/review';
import type { WatchReading } from '@gatehouse/run-tasks';
import type { KnownThing } from '../open/known.ts';
import { accessTable } from '../review/review-text.ts';
import { lineDiff, withContext } from '../terminal/line-diff.ts';
import { given, inSections, printable, type Style, styleFor } from '../terminal/style.ts';
import type { DriftReport } from './drift.ts';

const plainStyle = styleFor({}, {});

export function driftText(report: DriftReport, style: Style, columns?: number): string {
  const { address, access } = report;
  const judged =
    access === undefined
      ? []
      : [style.strong(verdictWords(access)), ...accessTable(access, style, { columns })];
  const summary = `${style.strong(address)}: ${driftSummary(report)}`;
  const sections = [
    driftFindings(report, style, folded),
    judged.map(printable),
    elsewhereLines(report, style),
    missingLines(report),
    [summary],
  ];
  return inSections(sections);
}

/** The most lines about undeclared things elsewhere, where these are no drift. */
const mostElsewhere = 10;

function elsewhereLines({ unmanaged, isUnmanagedDrift }: DriftReport, style: Style): string[] {
  if (isUnmanagedDrift || unmanaged.length === 0) return [];
  const lines = folded(unmanaged, (difference) => `   ${driftLines(difference, style).join('\n')}`, style);
  const rest = lines.length - mostElsewhere;
  return [
    'Elsewhere on the service, not of this stack:',
    ...lines.slice(0, mostElsewhere),
    ...(rest > 0 ? [`   and ${rest} others (--unmanaged)`] : []),
  ];
}

function missingLines({ missing }: DriftReport): string[] {
  return missing.map((part) => `?  Additions are not looked for in ${printable(part)}.`);
}

/** Errors first, then a text of one or more lines for each difference. Folded, a difference that several namespaces share is said once. */
function driftFindings(report: DriftReport, style: Style, gathered: Gathered = each): string[] {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, promises, ended, trust, known } = report;
  const drift = [...differences, ...(isUnmanagedDrift ? unmanaged : [])];
  return [
    ...gathered(
      [...promises, ...ended, ...trust],
      ({ subject, message }) => `${style.removed('!')}  ${subjectText(subject)}: ${printable(message)}`,
      style,
    ),
    ...gathered(drift, (difference) => driftLines(difference, style).join('\n'), style),
    ...known.map((thing) => knownLines(thing, style).join('\n')).filter((text) => text !== ''),
    ...gathered(unverifiable, unreadText, style),
  ];
}

function unreadText({ subject, why }: DriftReport['unverifiable'][number]): string {
  return `?  ${subjectText(subject)}: cannot be read. ${printable(why)}`;
}

interface WithSubject {
  subject: Difference['subject'];
}
type Gathered = <Item extends WithSubject>(
  all: readonly Item[],
  textOf: (item: Item) => string,
  style: Style,
) => string[];

const each: Gathered = (all, textOf) => all.map(textOf);

const folded: Gathered = (all, textOf, style) => {
  const placeOf = ({ subject: { namespace } }: WithSubject) => (namespace === undefined ? {} : { namespace });
  const textOfAny = (item: (typeof all)[number]) => {
    const { namespace: _, ...subject } = item.subject;
    return textOf({ ...item, subject });
  };
  return foldPlaces(all, placeOf, textOfAny).map((same) => {
    const [first] = same;
    if (same.length === 1) return textOf(first);
    const where = sameWords({ places: same.map(placeOf), otherPlaces: [] });
    return `${textOfAny(first)}\n     ${style.faint(printable(where))}`;
  });
};

/** What `--fix` puts back, and what it leaves to people. */
export function fixText(differences: readonly Difference[]): string {
  const names = (some: readonly Difference[]) =>
    [...new Set(some.map(({ subject }) => subjectText(subject)))].join(', ');
  const put = differences.filter(({ isLeft }) => !isLeft);
  const added = differences.filter(({ kind }) => kind === 'added');
  const left = differences.filter(({ kind, isLeft }) => isLeft && kind !== 'added');
  const lines = given(
    put.length > 0 && `--fix puts back: ${names(put)}.`,
    put.length === 0 && '--fix has nothing to put back.',
    added.length > 0 &&
      `It deletes nothing that came by hand: ${names(added)}. Delete it, declare it, or accept it with gatehouse:known.`,
    left.length > 0 && `It leaves what no stack declares: ${names(left)}. Write it by hand, or declare it.`,
  );
  return `${lines.join('\n')}\n`;
}

/** What `--fix` should have put back, and the plugin did not write. */
export function keptText(differences: readonly Difference[]): string {
  const names = differences.map(
    ({ subject, field }) => subjectText(subject) + (field === undefined ? '' : ` (${field})`),
  );
  return `Still not as declared, though it was applied: ${names.join(', ')}. The plugin does not write it: write it by hand.\n`;
}

/** Kinds of differences, those first by which more may be possible than is declared. */
const kindsByWeight: readonly Difference['kind'][] = ['added', 'unmanaged', 'changed', 'missing'];

/** A report for the watch, which has no colors. */
export function watchedDrift(
  report: DriftReport,
): Pick<WatchReading, 'summary' | 'findings' | 'access'> & { unread: string[] } {
  const weight = ({ kind }: Difference) => kindsByWeight.indexOf(kind);
  const differences = report.differences.toSorted((a, b) => weight(a) - weight(b));
  const { gains, access = [] } = report.access ?? {};
  const gaining = new Set(
    access.flatMap((change) => (change.gains === 'some' ? JSON.stringify(change.principals) : [])),
  );
  const summary = given(
    gains === 'some' && `${count(gaining.size, 'principal')} gained access`,
    driftSummary(report),
  );
  return {
    summary: summary.join('; '),
    findings: driftFindings({ ...report, differences }, plainStyle),
    unread: report.unverifiable.map(unreadText),
    ...(report.access && { access: gainedByDrift(report.access) }),
  };
}

function gainedByDrift(verdict: NonNullable<DriftReport['access']>) {
  const { gains, life, access } = verdict;
  const lines = accessLines({ access, findings: [], tool: 'gatehouse' }, 'gains');
  return { gains, life, gained: [verdictWords(verdict), ...lines] };
}

/** How much differs: counts alone. */
function driftSummary(report: DriftReport): string {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, missing, secrets, compared } = report;
  const { plainEntities, promises, ended, known } = report;
  const added = subjectCount(differences.filter(({ kind }) => kind === 'added'));
  const unlike = subjectCount(differences.filter(({ kind }) => kind !== 'added'));
  const changed = known.filter(isDrift).length;
  const notAsRecorded = changed > 0 ? `, ${changed} not as recorded` : '';
  const isNone = differences.length + unverifiable.length + changed === 0;
  return given(
    unlike > 0 && `${unlike} of ${compared} differ`,
    added > 0 && `${added} added`,
    isNone && (missing.length > 0 ? 'no drift in what could be read' : 'no drift'),
    known.length > 0 && `${known.length} known${notAsRecorded}`,
    unmanaged.length > 0 && `${unmanaged.length} ${isUnmanagedDrift ? '' : 'elsewhere '}not declared`,
    promises.length === 1 && 'a promise does not hold',
    promises.length > 1 && `${promises.length} promises do not hold`,
    ended.length > 0 && `${ended.length} should have ended`,
    plainEntities === 1 && '1 entity without policies of its own',
    plainEntities > 1 && `${plainEntities} entities without policies of their own`,
    unverifiable.length > 0 && `${unverifiable.length} cannot be read`,
    secrets.length > 0 && `${count(secrets.length, 'secret')} that no service shows`,
  ).join('; ');
}

/** How many things differ: several fields of one thing count once. */
function subjectCount(differences: readonly Difference[]): number {
  return new Set(differences.map(({ subject }) => subjectText(subject))).size;
}

function driftLines(
  { kind, subject, field, declared, live, note, isLeft }: Difference,
  style: Style,
): string[] {
  const name = subjectText(subject);
  const why = note === undefined ? '' : style.faint(` (${printable(note)})`);
  if (kind === 'missing') return [`${style.removed('-')}  ${name} is missing${why}`];
  if (kind === 'unmanaged') return [`${style.added('+')}  ${name} is not declared${why}`];
  if (kind === 'added') return [`${style.added('+')}  ${name} was added: ${printable(note ?? '')}`];
  const left = isLeft ? style.faint('; up leaves it as it is') : '';
  // A value that no stack declares has nothing to be compared with.
  if (isLeft && note !== undefined)
    return [`${style.changed('~')}  ${name}  ${field}: ${printable(note)}${left}`];
  const declaredLines = valueLines(field, declared ?? []);
  const liveLines = valueLines(field, live ?? []);
  if (declaredLines !== undefined && liveLines !== undefined) {
    return [
      `${style.changed('~')}  ${name}  ${field}: not as declared${why}${left}`,
      ...markedLines(declaredLines, liveLines, style),
    ];
  }
  return [
    `${style.changed('~')}  ${name}  ${field}: ${driftValueText(field, live)}, declared ${driftValueText(field, declared)}${why}${left}`,
  ];
}

/** The lines that differ, with one line around them. */
function markedLines(declared: string[], live: string[], style: Style): string[] {
  const diff = withContext(lineDiff(declared.join('\n'), live.join('\n')), 1);
  const marks = { same: '  ', added: '+ ', removed: '- ' };
  return diff
    .filter(({ text }) => text !== '')
    .map(({ kind, text }) => {
      const line = `     ${marks[kind]}${printable(text)}`;
      return kind === 'same' ? style.faint(line) : style[kind](line);
    });
}

/** The lines of a text of several lines, or of a list with one entry a line; undefined for any other value. */
function valueLines(field: string | undefined, value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return field === 'text' || value.includes('\n') ? value.split('\n') : undefined;
  if (!Array.isArray(value)) return undefined;
  return value.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}

/** Whether a known thing is not as it was when it was declared known. */
export function isDrift({ state }: KnownThing): boolean {
  return state !== 'same' && state !== 'recorded' && state !== 'unread';
}

const knownStates: Record<KnownThing['state'], string> = {
  same: '',
  recorded: 'is recorded now: commit the file known.<stack>.json',
  unrecorded: 'is not in known.<stack>.json: run gatehouse drift outside of CI, and commit the file',
  changed: 'is not as it was when it was declared known',
  missing: 'is not on the service',
  unread: 'is not compared: the token may not read all of it',
};

function knownLines(known: KnownThing, style: Style): string[] {
  const { state, added, removed, likely } = known;
  if (state === 'same') return [];
  const mark = state === 'recorded' ? ' ' : state === 'unread' ? '?' : style.changed('~');
  const name = printable(knownWords(known));
  if (state === 'unread') return [`${mark}  known ${name} ${knownStates[state]}`];
  return [
    `${mark}  known ${name} ${knownStates[state]}${likely === undefined ? '' : printable(`; did you mean ${likely}?`)}`,
    ...removed.map((node) => style.removed(`     - ${printable(JSON.stringify(node))}`)),
    ...added.map((node) => style.added(`     + ${printable(JSON.stringify(node))}`)),
  ];
}

function subjectText(subject: Difference['subject']): string {
  return printable(subjectName(subject));
}

function driftValueText(field: string | undefined, value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'number' && /ttl$|period$/i.test(field ?? '')) return formatDuration(value);
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
