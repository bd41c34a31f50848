import { GatehouseError } from '../graph/values/errors.ts';
import { visible } from '../graph/values/visible.ts';
import type { AccessRow } from './access-rows.ts';

/** What a report is of: in each line, so that it stays when lines are sorted or filtered. */
export interface ReportStamp {
  /** RFC 3339. */
  writtenAt: string;
  graph: string;
  /** Empty without logs, as what follows. */
  log: string;
  from: string;
  to: string;
}

/** The columns of a row, each with its field. Those of the stamp follow. */
const ofRow = {
  status: 'status',
  kind: 'kind',
  who: 'who',
  lets_in: 'letsIn',
  pattern: 'pattern',
  capabilities: 'capabilities',
  limits: 'limits',
  policies: 'policies',
  about: 'about',
  last_used: 'lastUsed',
  decision: 'decision',
  conditions: 'conditions',
} as const satisfies Record<string, keyof AccessRow>;
type Column = keyof typeof ofRow;
const columnsOfRow = Object.keys(ofRow) as Column[];
const columns = [...columnsOfRow, 'written_at', 'graph_digest', 'log_digest', 'log_from', 'log_to'];

/** What must stay for a decision to hold. */
const content: readonly Column[] = ['lets_in', 'capabilities', 'limits', 'policies', 'conditions'];

function cellOf(row: AccessRow, column: Column): string {
  const value = row[ofRow[column]];
  return typeof value === 'string' ? value : value.join(column === 'about' ? '; ' : ', ');
}

/** Rows as RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function accessCsv(
  rows: readonly AccessRow[],
  { writtenAt, graph, log, from, to }: ReportStamp,
): string {
  const lines = rows.map((row) => [
    ...columnsOfRow.map((column) => cellOf(row, column)),
    writtenAt,
    graph,
    log,
    from,
    to,
  ]);
  const text = [columns, ...lines].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
  // Spreadsheets take it for another encoding without a byte order mark, and other tools may not expect one.
  return /[\u0080-\uffff]/.test(text) ? `\ufeff${text}` : text;
}

/** What a row was in an earlier report. */
export type EarlierRow = Record<'status' | 'kind' | 'who' | 'pattern' | 'decision' | 'content', string>;

/** What two rows must share to be one, and what must stay for a decision to hold. */
export function cellsOf(row: AccessRow): EarlierRow {
  const { status, kind, who, pattern, decision } = row;
  return {
    status,
    kind,
    decision,
    who: shown(who),
    pattern: shown(pattern),
    content: JSON.stringify(content.map((column) => shown(cellOf(row, column)))),
  };
}

/**
 * Reads a report that was made earlier, as it was written or as a spreadsheet saved it: with commas, semicolons or tabs.
 *
 * @throws GatehouseError `report_unreadable`
 */
export function readAccessCsv(text: string, file: string): EarlierRow[] {
  const plain = text.replace(/^\ufeff/, '');
  const [firstLine = ''] = plain.split(/\r?\n/, 1);
  const separator =
    [',', ';', '\t'].find((candidate) => firstLine.split(candidate).length >= columns.length) ?? ',';
  const [header = [], ...lines] = records(plain, separator);
  const at = (name: string) => header.indexOf(name);
  const lacking = columnsOfRow.filter((name) => at(name) === -1);
  if (lacking.length > 0) throw unreadable(file, `it has no column ${lacking[0]}`);
  return lines
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells, index) => {
      if (cells.length !== header.length)
        throw unreadable(file, `row ${index + 2} has another number of cells`);
      const cell = (name: string) => unescaped(cells[at(name)] ?? '');
      return {
        status: cell('status'),
        kind: cell('kind'),
        who: cell('who'),
        pattern: cell('pattern'),
        decision: cell('decision'),
        content: JSON.stringify(content.map(cell)),
      };
    });
}

export function unreadable(report: string, why: string): GatehouseError {
  return new GatehouseError('report_unreadable', { given: report, values: { reason: why } });
}

/** Control characters other than those of lines could not be seen, and a spreadsheet changes line breaks. */
function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: shows them
  return visible(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/**
 * Where a spreadsheet may begin a formula: at the start of a cell, and behind a semicolon where its lists are separated by
 * those. Wide letters of East Asia count as well.
 */
const formulas = /(^|;)(\s*'*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const escaped = /(^|;)(\s*'*)'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

function cellText(text: string): string {
  const cell = shown(text).replace(formulas, "$1$2'");
  return /[",;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const unescaped = (cell: string): string => cell.replace(escaped, '$1$2');

function records(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    } else {
      const start = at;
      while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
      cell = text.slice(start, at);
    }
    cells.push(cell);
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) cells.push('');
      continue;
    }
    while (text[at] === '\r' || text[at] === '\n') at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    rows.push(cells);
    cells = [];
  }
  if (cells.length > 0) rows.push(cells);
  return rows;
}
