import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { type Cell, type ReportRow, reportRows, rowLines } from '../../../src/review/reports/rows.ts';
import { change, now, policy } from '../graphs.ts';
import { jwtMethod, jwtRole } from '../rules/graph-fixture.ts';

const reading = (limits: string) => ({
  ...{ methods: [jwtMethod()], roles: [jwtRole({ policies: ['p'] })] },
  policies: [{ name: 'p', text: `path "a" { capabilities = ["read"] ${limits} }` }],
});
const cells = (before: string, after: string) => {
  const { changes: access } = decideAccess(change(reading(before), reading(after)), now);
  return reportRows({ access, findings: [], tool: 'terraform' }).rows.flatMap((row) => row.cells);
};
const ending = 'expiration = "2999-12-31T23:59:59Z"';

test('what a rule that comes to an end takes away is told with the instant', () => {
  expect(cells('', ending)).toEqual([{ before: 'read a', after: '– from 2999-12-31T23:59:59Z on' }]);
  expect(cells(ending, '')).toEqual([{ before: '–', after: 'read a from 2999-12-31T23:59:59Z on' }]);
});

test('what is over already is lost at once', () => {
  expect(cells('', 'expiration = "2001-12-31T23:59:59Z"')).toEqual([{ before: 'read a', after: '–' }]);
});

describe('which rule decides, before and after', () => {
  type Rules = [path: string, ...capabilities: string[]][];
  const broad: Rules = [['s/*', 'create', 'read']];
  const narrow: Rules = [['s/db', 'read']];
  const denial: Rules = [['s/db', 'deny']];
  const rowsOf = (
    before: Rules,
    after: Rules,
    lists: [string[], string[]] = [
      ['p', 'q'],
      ['p', 'q'],
    ],
    otherRoles: object[] = [],
  ) => {
    const graph = (rules: Rules, policies: string[]) => ({
      methods: [jwtMethod()],
      roles: [jwtRole({ policies }), ...otherRoles.map((one) => jwtRole({ policies, ...one }))],
      policies: [policy('p', ...broad), policy('q', ...rules)],
    });
    const { changes: access } = decideAccess(change(graph(before, lists[0]), graph(after, lists[1])), now);
    return reportRows({ access, findings: [], tool: 'gatehouse' }).rows;
  };
  const kept: [string[], string[]] = [
    ['p', 'q'],
    ['p', 'q'],
  ];
  const taken: [string[], string[]] = [['p', 'q'], ['p']];
  const given: [string[], string[]] = [['p'], ['p', 'q']];

  test.each<[Rules, Rules, [string[], string[]], Cell, string[]]>([
    [
      narrow,
      [],
      kept,
      { before: 's/db: read', after: 'create, read' },
      ['The rule for s/db is gone from policy q, so s/* decides there.'],
    ],
    [
      [],
      narrow,
      kept,
      { before: 's/db: create, read', after: 'read' },
      ['The new rule for s/db in policy q decides there instead of s/*.'],
    ],
    [
      denial,
      [],
      kept,
      { before: 's/db: deny', after: 'create, read' },
      ['The denial for s/db is gone from policy q, so s/* decides there.'],
    ],
    [
      [],
      denial,
      kept,
      { before: 's/db: create, read', after: 'deny' },
      ['The new denial for s/db in policy q decides there instead of s/*.'],
    ],
    [
      narrow,
      narrow,
      taken,
      { before: 's/db: read', after: 'create, read' },
      ['Policy q is lost, so s/* decides there.'],
    ],
    [
      denial,
      denial,
      taken,
      { before: 's/db: deny', after: 'create, read' },
      ['Policy q no longer denies s/db, so s/* decides there.'],
    ],
    [
      narrow,
      narrow,
      given,
      { before: 's/db: create, read', after: 'read' },
      ['The rule for s/db in policy q, which they gain, decides there instead of s/*.'],
    ],
    [
      [['s/*', 'deny']],
      [],
      kept,
      { before: 's/*: deny', after: 'create, read' },
      ['The denial for s/* is gone from policy q.'],
    ],
    [
      [['s/*', 'deny']],
      [['s/*', 'deny']],
      taken,
      { before: 's/*: deny', after: 'create, read' },
      ['Policy q no longer denies s/*.'],
    ],
  ])('%j, then %j, of %j', (before, after, lists, cell, reasons) => {
    expect(rowsOf(before, after, lists)).toMatchObject([{ cells: [cell], reasons }]);
  });

  test.each<[string, Rules, Rules]>([
    ['the rule alone says more', [['s/*', 'list']], [['s/*', 'delete', 'list']]],
    ['a denial is written in another way', [['t', 'deny']], [['t', 'read']]],
    ['no rule is left', [['t', 'read']], []],
    ['there was none', [], [['t', 'read']]],
    ['two rules go', [...narrow, ['s/d*', 'list']], []],
    [
      'rules of the same pattern decide',
      [
        ['t', 'read'],
        ['t', 'list'],
      ],
      [['t', 'list']],
    ],
  ])('is in no sentence where %s', (_, before, after) => {
    const rows = rowsOf(before, after);
    expect(rows.length).toBeGreaterThan(0);
    // The other of two rules is alone on its paths.
    expect(rows.flatMap(({ reasons }) => reasons).filter((text) => !text.includes('s/d*'))).toEqual([]);
  });

  test('one policy that does the same to several is the row, and its name is in no sentence', () => {
    const [row, ...rest] = rowsOf(narrow, [], kept, [{ name: 'second' }]);
    expect(rest).toEqual([]);
    expect(row).toMatchObject({
      policy: 'policy q',
      who: [{}, {}],
      reasons: ['The rule for s/db is gone, so s/* decides there.'],
    });
    expect(rowLines(row as ReportRow)).toEqual([
      'policy q',
      expect.stringMatching(/^role /),
      expect.stringMatching(/^role second /),
      '  s/db: read → create, read',
      '  The rule for s/db is gone, so s/* decides there.',
    ]);
  });

  test('but not where they gain or lose a policy, or it is one alone', () => {
    expect(rowsOf(narrow, narrow, taken, [{ name: 'second' }])).toMatchObject([{ who: [{}, {}] }]);
    for (const row of [...rowsOf(narrow, narrow, taken, [{ name: 'second' }]), ...rowsOf(narrow, [])]) {
      expect(row.policy).toBeUndefined();
    }
  });
});
