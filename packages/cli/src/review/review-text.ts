import {
  type FindingGroup,
  findingTitle,
  foldFindings,
  headline,
  hiddenWords,
  isShownIn,
  type ReportFinding,
  type ReportRow,
  type Review,
  remarks,
  replayDetails,
  replayLine,
  reportRows,
  sameWords,
  worstFirst,
} from '@gatehouse/core/review';
import { given, inSections, oneLine, type Style } from '../terminal/style.ts';
import { columnWidths, inWidth, sideBySide } from '../terminal/table.ts';

/** Limits of a report: rows, principals per row, lines and reasons per row, findings. */
const most = { rows: 15, who: 10, cells: 8, reasons: 3, findings: 4 };
/** Columns of a terminal that does not say how many it has. */
const usualColumns = 100;
/** With fewer columns, before and after share a line. */
const narrowColumns = 76;

const signStyles = { '+': 'added', '-': 'removed', '~': 'changed', '?': 'changed' } as const;
const marks = { error: '✗', warning: '!', info: 'i' } as const;
const markStyles = { error: 'removed', warning: 'changed', info: 'faint' } as const;

export interface Layout {
  /** Columns of the terminal. Defaults to 100. */
  columns?: number | undefined;
  /** All principals, paths and findings, also those that were there before. Defaults to false. */
  all?: boolean;
}

/**
 * A review for a terminal, in the order of a comment: the answer with its worst finding, who gains and who loses, what else is
 * wrong, and what was not checked.
 */
export function reviewText(review: Review, style: Style, layout: Layout = {}): string {
  const report = reportRows(review);
  const { rows, repeated } = report;
  const { all = false } = layout;
  const { worst } = worstFirst(report, review.tool);
  const isOther = (finding: ReportFinding) => worst?.all.includes(finding) !== true;
  const findings = report.findings.filter(isOther);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const nonErrors = findings.filter(({ severity }) => severity !== 'error');
  const listed = all
    ? [...nonErrors, ...repeated.filter(isOther), ...foldFindings(review.older)]
    : nonErrors.slice(0, most.findings);
  // Rows with an error come first, and are always shown.
  const shownRows = rows.filter((row, at) => all || at < most.rows || row.errors.length > 0);
  const hiddenFindings = [...nonErrors.slice(most.findings), ...repeated.filter(isOther)];
  const hidden = all ? [] : hiddenWords(hiddenFindings, review.older, rows.length - shownRows.length);
  const sections = [
    [
      style.strong(oneLine(headline(review))),
      ...(worst ? findingText(worst, style, `${oneLine(worst.who)}: `, true) : []),
      ...replayText(review),
    ],
    tableText(shownRows, style, layout, worst),
    [...errors, ...listed].flatMap((finding) =>
      findingText(
        finding,
        style,
        `${oneLine(findingTitle(finding, review.tool, all ? Infinity : undefined))}: `,
        all || finding.severity === 'error',
      ),
    ),
    [...remarks(review), ...hidden].map((text) => style.faint(`  ${oneLine(text)}`)),
  ];
  return inSections(sections);
}

/** What becomes of the requests of audit logs. */
function replayText({ replay }: Review): string[] {
  if (replay === undefined) return [];
  return [oneLine(replayLine(replay)), ...replayDetails(replay).map((text) => `  ${oneLine(text)}`)];
}

/** Who gains and who loses, without findings. */
export function accessTable({ access }: Pick<Review, 'access'>, style: Style, layout: Layout = {}): string[] {
  return tableText(reportRows({ access, findings: [], tool: 'gatehouse' }).rows, style, layout);
}

/** A row of a report, with the texts of its columns. */
interface ShownRow {
  row: ReportRow;
  who: { text: string; indent: number }[];
  cells: (readonly [before: string, after: string])[];
}

function tableText(
  rows: ReportRow[],
  style: Style,
  { columns = usualColumns, all = false }: Layout,
  worst?: FindingGroup,
): string[] {
  if (rows.length === 0) return [];
  const shown = rows.map((row) => shownRow(row, all));
  const isNarrow = columns < narrowColumns;
  const widths = isNarrow ? [columns - 2] : tableWidths(shown, columns);
  const linesOf = isNarrow ? narrowLines : wideLines;
  const header = sideBySide([['WHO'], ['BEFORE'], ['AFTER']], widths).map((line) => style.faint(`  ${line}`));
  return [
    ...(isNarrow ? [] : header),
    ...shown.flatMap((shownRow) => rowText(shownRow.row, linesOf(shownRow, widths), style, { all, worst })),
  ];
}

function shownRow(row: ReportRow, all: boolean): ShownRow {
  const leftOut = (count: number) => ({ before: '', after: `… and ${count} more` });
  const cells = some(row.cells, all ? Infinity : most.cells, leftOut);
  return {
    row,
    who: whoLines(row, all),
    cells: cells.map(({ before, after }) => [oneLine(before), oneLine(after)]),
  };
}

function tableWidths(shown: ShownRow[], columns: number): number[] {
  const whoTexts = shown.flatMap(({ who }) => who.map(({ text, indent }) => ' '.repeat(indent) + text));
  const beforeTexts = shown.flatMap(({ cells }) => cells.map(([before]) => before));
  return columnWidths([['WHO', ...whoTexts], ['BEFORE', ...beforeTexts], []], [0.44, 0.24], columns - 2);
}

/** Before and after in one line, under the principals. */
function narrowLines({ who, cells }: ShownRow, [width = 1]: number[]): string[] {
  return [
    ...who.flatMap(({ text, indent }) => inWidth(text, width, indent)),
    ...cells.flatMap(([before, after]) => inWidth(`${before} → ${after}`, width, 4)),
  ];
}

/** Principals, before and after in columns. */
function wideLines(
  { who, cells }: ShownRow,
  [whoWidth = 1, beforeWidth = 1, afterWidth = 1]: number[],
): string[] {
  const cellLines = cells.flatMap(([before, after]) =>
    sideBySide([inWidth(before, beforeWidth), inWidth(after, afterWidth)], [beforeWidth, afterWidth]),
  );
  return sideBySide(
    [who.flatMap(({ text, indent }) => inWidth(text, whoWidth, indent)), cellLines],
    [whoWidth],
  );
}

/** The lines of a row with its sign, then its reasons and errors, but for the worst, which stands on top. */
function rowText(
  row: ReportRow,
  lines: string[],
  style: Style,
  { all, worst }: { all: boolean; worst: FindingGroup | undefined },
): string[] {
  const errors = row.errors.filter((finding) => worst?.all.includes(finding) !== true);
  const [first = '', ...rest] = lines;
  return [
    style[signStyles[row.sign]](`${row.sign} ${first}`),
    ...rest.map((line) => `  ${line}`),
    ...some(row.reasons, all ? Infinity : most.reasons, (left) => `… and ${left} more`).map(
      (text) => `    ${oneLine(text)}`,
    ),
    ...errors.flatMap((finding) => rowError(finding, row, style)).map((line) => `  ${line}`),
  ];
}

/** Lines of the first column: the policy that gives access, principals with details, then the reasons. */
function whoLines(
  { policy, who, same, why, errors }: ReportRow,
  all: boolean,
): { text: string; indent: number }[] {
  const below = policy === undefined ? 0 : 2;
  const leftOut = (count: number) => ({ name: `… and ${count} more`, details: [] as string[] });
  const places = same && sameWords(same, all ? Infinity : undefined);
  const lines = [
    ...(policy === undefined ? [] : [{ text: policy, indent: 0 }]),
    ...some(who, all ? Infinity : most.who, leftOut).flatMap(({ name, details }) => [
      { text: name, indent: below },
      ...details.map((text) => ({ text, indent: below + 2 })),
    ]),
    ...given(places, why).map((text) => ({ text, indent: 2 })),
  ];
  const mark = errors.length > 0 ? ` ${marks.error}` : '';
  return lines.map(({ text, indent }, at) => ({ text: `${oneLine(text)}${at === 0 ? mark : ''}`, indent }));
}

function some<T>(all: readonly T[], atMost: number, leftOut: (count: number) => T): T[] {
  return all.length > atMost ? [...all.slice(0, atMost), leftOut(all.length - atMost)] : [...all];
}

/** The finding of a row; only its fix if the row already shows its message. */
function rowError(finding: ReportFinding, row: ReportRow, style: Style): string[] {
  return isShownIn(row, finding)
    ? findingText({ ...finding, message: finding.fix }, style, '', false)
    : findingText(finding, style, '', true);
}

function findingText(
  finding: Pick<ReportFinding, 'severity' | 'message' | 'fix' | 'rule'>,
  style: Style,
  title: string,
  hasFix: boolean,
): string[] {
  const { severity, message, fix, rule } = finding;
  const mark = style[markStyles[severity]](marks[severity]);
  const id = style.faint(`(${rule})`);
  return hasFix
    ? [`${mark} ${title}${oneLine(message)}`, `    ${oneLine(fix)} ${id}`]
    : [`${mark} ${title}${oneLine(message)} ${id}`];
}
