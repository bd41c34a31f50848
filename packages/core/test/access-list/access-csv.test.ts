import { describe, expect, test } from '@jest/globals';
import { accessCsv, cellsOf, readAccessCsv } from '../../src/access-list/access-csv.ts';
import type { AccessRow } from '../../src/access-list/access-rows.ts';

const row: AccessRow = {
  status: 'new',
  kind: 'role',
  who: 'role web',
  letsIn: 'anyone',
  pattern: 'kv/*',
  about: [],
  capabilities: ['read', 'update'],
  limits: [],
  policies: ['app'],
  lastUsed: '',
  decision: '',
  conditions: '0a1b',
};
const stamp = { writtenAt: '2026-11-01T00:00:00Z', graph: 'sha256:1', log: '', from: '', to: '' };
const csv = (given: Partial<AccessRow>) => accessCsv([{ ...row, ...given }], stamp);
const again = (text: string) => readAccessCsv(text, 'x.csv');

describe('an access report as CSV', () => {
  test('has one line a row, and what it is of at the end of each', () => {
    const [header, line, end] = csv({}).split('\r\n');
    expect(header).toMatch(
      /^status,kind,who,.*,decision,conditions,written_at,graph_digest,log_digest,log_from,log_to$/,
    );
    expect(line).toBe(
      'new,role,role web,anyone,kv/*,"read, update",,app,,,,0a1b,2026-11-01T00:00:00Z,sha256:1,,,',
    );
    expect(end).toBe('');
  });

  test.each([
    '=1+1',
    '+x',
    '-x',
    '@x',
    '＝1',
    "'=x",
    "''=x",
    ' =x',
    "'plain",
    'a;=x',
    "a;'=x",
    'a; @x',
    '"=x"',
  ])('has no cell that begins a formula, and reads it back: %j', (text) => {
    const written = csv({ who: text, decision: text });
    for (const cell of written.split(/[,;\r\n]/)) expect(cell.replace(/^"/, '')).not.toMatch(/^\s*[=+\-@＝]/);
    expect(again(written)).toMatchObject([{ who: text, decision: text }]);
  });

  test('shows control characters, in names, too', () => {
    const name = 'a\r\n=b\t\u202e\u0000,"c"';
    const written = csv({ who: name });
    expect(written.split('\r\n')).toHaveLength(3);
    expect(again(written)).toMatchObject([{ who: 'aU+000DU+000A=bU+0009U+202EU+0000,"c"' }]);
    expect(again(written)).toEqual([cellsOf({ ...row, who: name })]);
  });

  test.each([
    [
      'semicolons',
      (text: string) =>
        text.replaceAll('"read, update"', 'read| update').replaceAll(',', ';').replace('read|', 'read,'),
    ],
    ['a byte order mark and plain line breaks', (text: string) => `\ufeff${text.replaceAll('\r\n', '\n')}`],
    [
      'every cell in quotes',
      (text: string) =>
        text
          .split('\r\n')
          .map((line) =>
            line === ''
              ? ''
              : [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
                  .slice(0, 17)
                  .map(([, cell = '']) => (cell.startsWith('"') ? cell : `"${cell}"`))
                  .join(','),
          )
          .join('\r\n'),
    ],
    ['no line break at the end', (text: string) => text.trimEnd()],
    ['empty lines', (text: string) => `${text}\r\n${','.repeat(16)}\r\n`],
  ])('is read as a spreadsheet saves it: %s', (_, saved) => {
    expect(again(saved(csv({ decision: 'keep' })))).toEqual([cellsOf({ ...row, decision: 'keep' })]);
  });

  test('begins with a byte order mark where a spreadsheet needs it', () => {
    expect(csv({})).toMatch(/^status/);
    const written = csv({ who: 'Jürgen' });
    expect(written).toMatch(/^\ufeffstatus/);
    expect(again(written)).toMatchObject([{ who: 'Jürgen' }]);
  });

  test('of columns in another order, or with more, is read by their names', () => {
    const [header = '', line = ''] = csv({ decision: 'keep' }).split('\r\n');
    expect(again(`remark,${header}\r\nmine,${line}`)).toMatchObject([{ decision: 'keep', who: 'role web' }]);
  });

  test.each([
    ['a column is missing', 'status,kind\r\nnew,role\r\n', 'it has no column who'],
    ['it is empty', '', 'it has no column status'],
    ['a line is cut', csv({}).slice(0, -60), 'row 2 has another number of cells'],
  ])('is refused where %s', (_, text, why) => {
    expect(() => again(text)).toThrow(`The earlier report cannot be read: ${why}.`);
  });
});
