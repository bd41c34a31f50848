import {
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
} from '@gatehouse/core/review';
import { given, inSections, oneLine, type Style } from '../terminal/style.ts';
import { columnWidths, inWidth, sideBySide } from '../terminal/table.ts';

/** How many are shown: rows, principals to whom the same happens, lines of one row and its reasons, findings. */
const most = { rows: 15, who: 10, cells: 8, reasons: 3, findings: 4 };
/** Columns where nothing says how many there are, and below which before and after stand under each other. */
const usual = 100;
const narrow = 76;

const signStyles = { '+': 'added', '-': 'removed', '~': 'changed', '?': 'changed' } as const;
const marks = { error: '✗', warning: '!', info: 'i' } as const;
const markStyles = { error: 'removed', warning: 'changed', info: 'faint' } as const;

export interface Layout {
  /** Columns of the terminal. Defaults to 100. */
  columns?: number | undefined;
  /** All principals, paths and findings, also those that were there before. Defaults to false. */
  all?: boolean;
}

/** A review for a terminal: the answer in a line, who gains and who loses, what is wrong, and what was not checked. */
export function reviewText(review: Review, style: Style, layout: Layout = {}): string {
  const { rows, findings, repeated } = reportRows(review);
  const { all = false } = layout;
  const [errors, nonErrors] = [true, false].map((isError) =>
    findings.filter(({ severity }) => (severity === 'error') === isError),
  ) as [ReportFinding[], ReportFinding[]];
  const listed = all
    ? [...nonErrors, ...repeated, ...foldFindings(review.older)]
    : nonErrors.slice(0, most.findings);
  // Rows with an error come first, and are always shown.
  const shownRows = rows.filter((row, at) => all || at < most.rows || row.errors.length > 0);
  const hiddenFindings = [...nonErrors.slice(most.findings), ...repeated];
  const hidden = all ? [] : hiddenWords(hiddenFindings, review.older, rows.length - shownRows.length);
  const sections = [
    [style.strong(oneLine(headline(review))), ...replayText(review)],
    tableText(shownRows, style, layout),
    [...errors, ...listed].flatMap((finding) =>
      findingText(
        finding,
        style,
        `${oneLine(findingTitle(finding, all ? Infinity : undefined))}: `,
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

/** Who gains and who loses, without what is wrong with it. */
export function accessTable({ access }: Pick<Review, 'access'>, style: Style, layout: Layout = {}): string[] {
  return tableText(reportRows({ access, findings: [], tool: 'gatehouse' }).rows, style, layout);
}

function tableText(rows: ReportRow[], style: Style, { columns = usual, all = false }: Layout): string[] {
  if (rows.length === 0) return [];
  const shown = rows.map((row) => ({
    row,
    left: whoLines(row, all),
    cells: some(row.cells, all ? Infinity : most.cells, (left) => ({
      before: '',
      after: `… and ${left} more`,
    })).map(({ before, after }) => [oneLine(before), oneLine(after)] as const),
  }));
  const beforeOf = shown.flatMap(({ cells }) => cells.map(([before]) => before));
  const whoOf = shown.flatMap(({ left }) => left.map(({ text, indent }) => ' '.repeat(indent) + text));
  const widths = columnWidths([['WHO', ...whoOf], ['BEFORE', ...beforeOf], []], [0.44, 0.24], columns - 2);
  const isNarrow = columns < narrow;
  const [whoWidth = 1, beforeWidth = 1, afterWidth = 1] = isNarrow ? [columns - 2] : widths;
  const rowText = ({ row, left, cells }: (typeof shown)[number]): string[] => {
    const who = left.flatMap(({ text, indent }) => inWidth(text, whoWidth, indent));
    const lines = isNarrow
      ? [...who, ...cells.flatMap(([before, after]) => inWidth(`${before} → ${after}`, whoWidth, 4))]
      : sideBySide(
          [
            who,
            cells.flatMap(([before, after]) =>
              sideBySide(
                [inWidth(before, beforeWidth), inWidth(after, afterWidth)],
                [beforeWidth, afterWidth],
              ),
            ),
          ],
          [whoWidth],
        );
    const [first = '', ...rest] = lines;
    return [
      style[signStyles[row.sign]](`${row.sign} ${first}`),
      ...rest.map((line) => `  ${line}`),
      ...some(row.reasons, all ? Infinity : most.reasons, (left) => `… and ${left} more`).map(
        (text) => `    ${oneLine(text)}`,
      ),
      ...row.errors.flatMap((finding) => rowError(finding, row, style)).map((line) => `  ${line}`),
    ];
  };
  const header = sideBySide([['WHO'], ['BEFORE'], ['AFTER']], widths).map((line) => style.faint(`  ${line}`));
  return [...(isNarrow ? [] : header), ...shown.flatMap(rowText)];
}

/** The policy that does it, names, each with who that is, then by what. */
function whoLines({ policy, who, same, why }: ReportRow, all: boolean): { text: string; indent: number }[] {
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
  return lines.map(({ text, indent }) => ({ text: oneLine(text), indent }));
}

function some<T>(all: readonly T[], atMost: number, leftOut: (count: number) => T): T[] {
  return all.length > atMost ? [...all.slice(0, atMost), leftOut(all.length - atMost)] : [...all];
}

/** The finding of a row. If the row shows already what is unknown, only the fix. */
function rowError(finding: ReportFinding, row: ReportRow, style: Style): string[] {
  return isShownIn(row, finding)
    ? findingText({ ...finding, message: finding.fix }, style, '', false)
    : findingText(finding, style, '', true);
}

function findingText(finding: ReportFinding, style: Style, title: string, hasFix: boolean): string[] {
  const { severity, message, fix, rule } = finding;
  const mark = style[markStyles[severity]](marks[severity]);
  const id = style.faint(`(${rule})`);
  return hasFix
    ? [`${mark} ${title}${oneLine(message)}`, `    ${oneLine(fix)} ${id}`]
    : [`${mark} ${title}${oneLine(message)} ${id}`];
}
