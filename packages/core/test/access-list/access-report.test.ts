import { expect, test } from '@jest/globals';
import { accessCsv } from '../../src/access-list/access-csv.ts';
import { accessReport } from '../../src/access-list/access-report.ts';
import { readReport } from '../../src/access-list/since-report.ts';
import { auditLine, folded, start } from '../usage/log-lines.ts';
import { now } from '../usage/usage-graph.ts';
import { graph } from '../worlds.ts';

const service = {
  graph: graph(`
    method ci
    role web shop boundSubject: web
    policy shop: kv/shop read; kv/price read`),
  ids: { mount: {}, group: {}, entity: {} },
  missing: [{ kind: 'not-read' as const, what: 'what was not read' }],
  exceptions: [],
  promises: [],
};

test('an access report has its rows, how many of each there are, and what it is of', () => {
  const { rows, counts, stamp } = accessReport(service, now);
  expect(rows.map(({ kind, pattern }) => [kind, pattern])).toContainEqual(['role', 'kv/shop']);
  expect(counts.new).toBe(rows.length);
  expect(counts.notRead).toBe(rows.filter(({ kind }) => kind === 'not read').length);
  expect(counts.notRead).toBeGreaterThan(0);
  expect(stamp).toEqual({
    writtenAt: '2026-11-01T00:00:00Z',
    graph: expect.stringMatching(/^sha256:/),
    log: '',
    from: '',
    to: '',
  });
});

test('logs tell when access was last used, and their digest is in the stamp', () => {
  const { stamp } = accessReport(service, now, folded([auditLine({ path: 'kv/shop' })]));
  expect(stamp).toMatchObject({
    log: expect.stringMatching(/^sha256:/),
    from: new Date(start).toISOString(),
    to: new Date(start).toISOString(),
  });
});

test('an earlier report marks what is the same, and what is gone', () => {
  const { rows, stamp } = accessReport(service, now);
  const earlier = readReport(accessCsv(rows, stamp), 'access.csv');
  const smaller = { ...service, graph: graph('method ci\n role web shop\n policy shop: kv/shop read') };
  expect(accessReport(service, now, undefined, earlier).counts).toMatchObject({ changed: 0, gone: 0 });
  expect(accessReport(smaller, now, undefined, earlier).counts).toMatchObject({ changed: 1, gone: 1 });
});
