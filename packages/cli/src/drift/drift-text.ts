import { type Difference, formatDuration, knownWords, subjectName } from '@gatehouse/core/graph';
import { count, foldPlaces, sameWords, verdictWords } from '@gatehouse/core/review';
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

/** Lines about what is elsewhere, where that is no drift. */
const mostElsewhere = 10;

function elsewhereLines({ unmanaged, isUnmanagedDrift }: DriftReport, style: Style): string[] {
  if (isUnmanagedDrift || unmanaged.length === 0) return [];
  const lines = folded(unmanaged, (one) => `   ${differenceLines(one, style).join('\n')}`, style);
  const rest = lines.length - mostElsewhere;
  return [
    'Elsewhere on the service, not of this stack:',
    ...lines.slice(0, mostElsewhere),
    ...(rest > 0 ? [`   and ${rest} others (--unmanaged)`] : []),
  ];
}

function missingLines({ missing }: DriftReport): string[] {
  return missing.map((one) => `?  Additions are not looked for in ${printable(one)}.`);
}

/** A text of one or more lines for each difference. Folded, a difference that several namespaces share is said once. */
function driftFindings(report: DriftReport, style: Style, gathered: Gathered = each): string[] {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, promises, ended, trust, known } = report;
  const drift = [...differences, ...(isUnmanagedDrift ? unmanaged : [])];
  return [
    ...gathered(drift, (one) => differenceLines(one, style).join('\n'), style),
    ...known.map((one) => knownLines(one, style).join('\n')).filter((text) => text !== ''),
    ...gathered(unverifiable, unreadText, style),
    ...gathered(
      [...promises, ...ended, ...trust],
      ({ subject, message }) => `${style.removed('!')}  ${nameText(subject)}: ${printable(message)}`,
      style,
    ),
  ];
}

function unreadText({ subject, why }: DriftReport['unverifiable'][number]): string {
  return `?  ${nameText(subject)}: cannot be read. ${printable(why)}`;
}

interface WithSubject {
  subject: Difference['subject'];
}
type Gathered = <One extends WithSubject>(
  all: readonly One[],
  textOf: (one: One) => string,
  style: Style,
) => string[];

const each: Gathered = (all, textOf) => all.map(textOf);

const folded: Gathered = (all, textOf, style) => {
  const placeOf = ({ subject: { namespace } }: WithSubject) => (namespace === undefined ? {} : { namespace });
  const textOfAny = (one: (typeof all)[number]) => {
    const { namespace: _, ...subject } = one.subject;
    return textOf({ ...one, subject });
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
    [...new Set(some.map(({ subject }) => nameText(subject)))].join(', ');
  const [put, added, left] = [
    differences.filter(({ isLeft }) => !isLeft),
    differences.filter(({ kind }) => kind === 'added'),
    differences.filter(({ kind, isLeft }) => isLeft && kind !== 'added'),
  ];
  const lines = given(
    put.length > 0 && `--fix puts back: ${names(put)}.`,
    put.length === 0 && '--fix has nothing to put back.',
    added.length > 0 &&
      `It deletes nothing that came by hand: ${names(added)}. Delete it, declare it, or accept it with gatehouse:known.`,
    left.length > 0 && `It leaves what no stack declares: ${names(left)}. Write it by hand, or declare it.`,
  );
  return `${lines.join('\n')}\n`;
}

/** What `--fix` was to put back, and the plugin left as it was. */
export function keptText(differences: readonly Difference[]): string {
  const names = differences.map(
    ({ subject, field }) => nameText(subject) + (field === undefined ? '' : ` (${field})`),
  );
  return `Still not as declared, though it was applied: ${names.join(', ')}. The plugin does not write it: write it by hand.\n`;
}

/** A report for the watch, without colors. */
export function watchedDrift(report: DriftReport): { summary: string; findings: string[]; unread: string[] } {
  const { gains, access = [] } = report.access ?? {};
  const gaining = new Set(
    access.flatMap((one) => (one.gains === 'some' ? JSON.stringify(one.principals) : [])),
  );
  const findings = driftFindings(report, plainStyle);
  const summary = given(
    gains === 'some' && `${count(gaining.size, 'principal')} gained access`,
    driftSummary(report),
  );
  return { summary: summary.join('; '), findings, unread: report.unverifiable.map(unreadText) };
}

/** How much differs: counts alone. */
function driftSummary(report: DriftReport): string {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, missing, secrets, compared } = report;
  const { plainEntities, promises, ended, known } = report;
  const [added, unlike] = [true, false].map(
    (is) =>
      new Set(
        differences.filter(({ kind }) => (kind === 'added') === is).map(({ subject }) => nameText(subject)),
      ).size,
  ) as [number, number];
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

function differenceLines(
  { kind, subject, field, declared, live, note, isLeft }: Difference,
  style: Style,
): string[] {
  const name = nameText(subject);
  const why = note === undefined ? '' : style.faint(` (${printable(note)})`);
  if (kind === 'missing') return [`${style.removed('-')}  ${name} is missing${why}`];
  if (kind === 'unmanaged') return [`${style.added('+')}  ${name} is not declared${why}`];
  if (kind === 'added') return [`${style.added('+')}  ${name} was added: ${printable(note ?? '')}`];
  const left = isLeft ? style.faint('; up leaves it as it is') : '';
  // An undeclared value has no other side to compare.
  if (isLeft && note !== undefined)
    return [`${style.changed('~')}  ${name}  ${field}: ${printable(note)}${left}`];
  const both = [declared ?? [], live ?? []].map((value) => linesOf(field, value));
  if (both.every((one) => one !== undefined)) {
    const [before = [], after = []] = both as string[][];
    const diff = withContext(lineDiff(before.join('\n'), after.join('\n')), 1).filter(
      ({ text }) => text !== '',
    );
    const marks = { same: '  ', added: '+ ', removed: '- ' };
    return [
      `${style.changed('~')}  ${name}  ${field}: not as declared${why}${left}`,
      ...diff.map(({ kind, text }) => {
        const line = `     ${marks[kind]}${printable(text)}`;
        return kind === 'same' ? style.faint(line) : style[kind](line);
      }),
    ];
  }
  return [
    `${style.changed('~')}  ${name}  ${field}: ${valueText(field, live)}, declared ${valueText(field, declared)}${why}${left}`,
  ];
}

/** A text of several lines, or a list, one entry a line; undefined for what stands in one. */
function linesOf(field: string | undefined, value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return field === 'text' || value.includes('\n') ? value.split('\n') : undefined;
  if (!Array.isArray(value)) return undefined;
  return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
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

function nameText(subject: Difference['subject']): string {
  return printable(subjectName(subject));
}

function valueText(field: string | undefined, value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'number' && /ttl$|period$/i.test(field ?? '')) return formatDuration(value);
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
