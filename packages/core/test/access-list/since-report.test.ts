import { describe, expect, test } from '@jest/globals';
import { accessCsv, cellsOf } from '../../src/access-list/access-csv.ts';
import type { AccessRow } from '../../src/access-list/access-rows.ts';
import { readReport, sinceReport } from '../../src/access-list/since-report.ts';

const row = (given: Partial<AccessRow>): AccessRow => ({
  status: 'new',
  kind: 'role',
  who: 'role web',
  letsIn: 'anyone',
  pattern: 'kv/*',
  about: [],
  capabilities: ['read'],
  limits: [],
  policies: ['app'],
  lastUsed: '',
  decision: '',
  conditions: '0a',
  ...given,
});
const columnsOf = (rows: AccessRow[]) => rows.map(({ status, who, decision }) => [status, who, decision]);
const since = (rows: AccessRow[], earlier: AccessRow[]) => columnsOf(sinceReport(rows, earlier.map(cellsOf)));

describe('a report since an earlier one', () => {
  test('has new and changed rows first, then those that stay, then those that are gone', () => {
    const was = [
      row({ who: 'a', decision: 'keep' }),
      row({ who: 'b', decision: 'keep' }),
      row({ who: 'gone', decision: 'revoke' }),
    ];
    const is = [row({ who: 'a' }), row({ who: 'b', capabilities: ['read', 'update'] }), row({ who: 'c' })];
    expect(since(is, was)).toEqual([
      ['changed', 'b', ''],
      ['new', 'c', ''],
      ['same', 'a', 'keep'],
      ['gone', 'gone', 'revoke'],
    ]);
  });

  test.each<Partial<AccessRow>>([
    { capabilities: ['list'] },
    { limits: ['wrapping'] },
    { policies: ['app', 'more'] },
    { conditions: '0b' },
    { letsIn: 'people in x' },
  ])('has no decision any more where this changes: %j', (change) => {
    expect(since([row(change)], [row({ decision: 'keep' })])).toEqual([['changed', 'role web', '']]);
  });

  test('keeps a decision where only the last use or an exception is another', () => {
    const is = row({ lastUsed: '2026-01-01T00:00:00Z', about: ['exception x'] });
    expect(since([is], [row({ decision: 'keep' })])).toEqual([['same', 'role web', 'keep']]);
  });

  test('has what was not read as new, each time', () => {
    const unread = row({ kind: 'not read', who: 'tokens' });
    expect(since([unread], [{ ...unread, decision: 'keep' }])).toEqual([['new', 'tokens', '']]);
    expect(since([], [unread])).toEqual([]);
  });

  test('forgets rows that were gone before', () => {
    expect(since([], [row({ status: 'gone' })])).toEqual([]);
    expect(since([row({})], [row({ status: 'gone', decision: 'revoke' })])).toEqual([
      ['new', 'role web', ''],
    ]);
  });

  test('carries nothing over where two rows of a file are about one thing', () => {
    const twice = [row({ decision: 'keep' }), row({ decision: 'revoke' })];
    expect(since([row({})], twice)).toEqual([['changed', 'role web', '']]);
  });
});

describe('an earlier report', () => {
  const rows = [row({ who: '=a,"\n', decision: 'keep' }), row({ who: 'b', status: 'changed' })];
  const stamp = { writtenAt: '', graph: '', log: '', from: '', to: '' };

  test('is the same as CSV and as JSON', () => {
    const csv = readReport(accessCsv(rows, stamp), 'x');
    expect(readReport(JSON.stringify({ format: 1, rows }), 'x')).toEqual(csv);
    expect(csv).toEqual(rows.map(cellsOf));
  });

  test('that is other JSON is refused', () => {
    expect(() => readReport('{"rows": [{}]}', 'x')).toThrow('it is no access report in JSON');
    expect(() => readReport('{', 'x')).toThrow('it is no access report in JSON');
  });

  test('of a row that is gone tells what it was', () => {
    const [gone] = sinceReport(
      [],
      [row({ capabilities: ['read', 'list'], limits: ['wrapping'] })].map(cellsOf),
    );
    expect(gone).toMatchObject({ capabilities: ['read', 'list'], limits: ['wrapping'], policies: ['app'] });
  });
});
