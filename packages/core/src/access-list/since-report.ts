import { z } from 'zod';
import { jsonIn } from '../graph/values/json.ts';
import { cellsOf, type EarlierRow, readAccessCsv, unreadable } from './access-csv.ts';
import { type AccessRow, compareRows } from './access-rows.ts';

const text = z.string();
const texts = z.array(text);
const reportRow = z.looseObject({
  status: z.enum(['new', 'changed', 'same', 'gone']),
  kind: z.enum(['role', 'group', 'entity', 'other', 'everyone', 'not read']),
  who: text,
  letsIn: text,
  pattern: text,
  capabilities: texts,
  limits: texts,
  policies: texts,
  about: texts,
  lastUsed: text,
  decision: text,
  conditions: text,
});
const report = z.looseObject({ rows: z.array(reportRow) });

/**
 * Reads an earlier report, CSV or JSON.
 *
 * @throws GatehouseError `report_unreadable`
 */
export function readReport(text: string, file: string): EarlierRow[] {
  if (!/^\s*\{/.test(text)) return readAccessCsv(text, file);
  const { data } = report.safeParse(jsonIn(text));
  if (data === undefined) throw unreadable(file, 'it is no access report in JSON');
  return data.rows.map(cellsOf);
}

/**
 * Carries decisions over to rows that are as they were. New and changed rows come first, then those that stay, then those
 * that are gone. Unread parts may have changed: no decision about it holds on.
 */
export function sinceReport(rows: readonly AccessRow[], earlier: readonly EarlierRow[]): AccessRow[] {
  const keyOf = ({ kind, who, pattern }: EarlierRow) => JSON.stringify([kind, who, pattern]);
  const known = new Map<string, EarlierRow>();
  const several = new Set<string>();
  for (const row of earlier) {
    if (row.status === 'gone') continue;
    const key = keyOf(row);
    if (known.has(key)) several.add(key);
    known.set(key, row);
  }
  const left = new Set(known.keys());
  const marked = rows.map((row): AccessRow => {
    const cells = cellsOf(row);
    const key = keyOf(cells);
    const rowBefore = known.get(key);
    left.delete(key);
    if (rowBefore === undefined || row.kind === 'not read') return { ...row, status: 'new' };
    // Which of two rows a decision was about cannot be told.
    if (several.has(key) || rowBefore.content !== cells.content) return { ...row, status: 'changed' };
    return { ...row, status: 'same', decision: rowBefore.decision };
  });
  const gone = [...left].flatMap((key) => {
    const rowBefore = known.get(key);
    return rowBefore === undefined || rowBefore.kind === 'not read' ? [] : [goneRow(rowBefore)];
  });
  const rank = { new: 0, changed: 0, same: 1, gone: 2 };
  return [...marked, ...gone].sort(
    (row, other) => rank[row.status] - rank[other.status] || compareRows(row, other),
  );
}

function goneRow({ kind, who, pattern, decision, content }: EarlierRow): AccessRow {
  const [letsIn = '', capabilities = '', limits = '', policies = '', conditions = ''] = texts.parse(
    jsonIn(content),
  );
  return {
    status: 'gone',
    who,
    pattern,
    decision,
    letsIn,
    conditions,
    about: [],
    lastUsed: '',
    kind: reportRow.shape.kind.catch('other').parse(kind),
    capabilities: listIn(capabilities),
    limits: listIn(limits),
    policies: listIn(policies),
  };
}

const listIn = (joined: string): string[] => (joined === '' ? [] : joined.split(', '));
