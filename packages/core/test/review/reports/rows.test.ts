import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { type ReportRow, reportRows, rowLines } from '../../../src/review/reports/rows.ts';
import { change } from '../../worlds.ts';
import { now } from '../graphs.ts';

const rowsIn = (text: string, tool: 'terraform' | 'gatehouse' = 'gatehouse') => {
  const { changes: access } = decideAccess(change(`method ci\n ${text}`), now);
  return reportRows({ access, findings: [], tool }).rows;
};
const rule = (limit: string) => `path "a" { capabilities = ["read"] ${limit} }`;
const cells = (before: string, after: string) => {
  const rows = rowsIn(`role r p\n ~ policy p: ${rule(before)} → ${rule(after)}`, 'terraform');
  return rows.flatMap((row) => row.cells);
};
const ending = 'expiration = "2999-12-31T23:59:59Z"';

test('what a rule that comes to an end takes away is told with the instant', () => {
  expect(cells('', ending)).toEqual([{ before: 'read a', after: '– from 2999-12-31T23:59:59Z on' }]);
  expect(cells(ending, '')).toEqual([{ before: '–', after: 'read a from 2999-12-31T23:59:59Z on' }]);
});

test('what is over already is lost at once', () => {
  expect(cells('', 'expiration = "2001-12-31T23:59:59Z"')).toEqual([{ before: 'read a', after: '–' }]);
});

test('who administers a path is not said to gain a part of it, too', () => {
  const admin = '* create,read,update,delete,list,sudo';
  const rows = rowsIn(`policy p: a read\n policy admin: ${admin}\n ~ role r p → p,admin`);
  expect(rows.flatMap((row) => row.cells)).toEqual([{ before: '–', after: 'administers the service' }]);
});

test('a word that a template may stand for has no row where no other rule is', () => {
  const own = '{{identity.entity.name}}';
  const policies = [
    `policy default: identity/entity/name/${own} read`,
    `policy person: s/${own}/* list,read`,
    'policy shop: s/shop/* delete',
  ];
  const team = 'group team shop\n alias team ci team';
  const rows = rowsIn(`${policies.join('\n')}\n ${team}\n + role r person,default groupsClaim: groups`);
  const [paths = []] = rows.map((row) => row.cells.map(({ after }) => after));
  expect(paths).toContain(`list, read s/${own}/*`);
  expect(paths.filter((text) => text.includes('identity/'))).toEqual([]);
});

test('gains stand before losses, as a long list is cut', () => {
  const cells = rowsIn('role r p\n ~ policy p: a read; b read → y read; z read').flatMap((row) => row.cells);
  expect(cells.map(({ after }) => after)).toEqual(['read y', 'read z', '–', '–']);
});

test.each([
  ['an alias', '- alias b ci builders'],
  ['an alias of a group without policies', '- alias b ci spare'],
  ['a group', '- internal all read group:builders'],
  ['an entity', '- entity ann read'],
])('%s that is gone is a loss of its people, who do not sign in by it', (_, gone) => {
  const text = `role r read groupsClaim: groups\n policy read: a read\n group builders read\n group spare -\n ${gone}`;
  const { losses, changes: access } = decideAccess(change(`method ci\n ${text}`), now);
  expect(losses).toBe('some');
  const { rows } = reportRows({ access, findings: [], tool: 'gatehouse' });
  expect(rows.flatMap((row) => row.cells.map(({ before }) => before))).not.toContain('signs in');
});

test('a group that only denied is no loss once its alias is gone', () => {
  const text = 'role r read groupsClaim: groups\n policy read: a read\n policy no: a deny\n group barred no';
  const { gains, losses } = decideAccess(change(`method ci\n ${text}\n - alias b ci barred`), now);
  expect([gains, losses]).toEqual(['some', 'none']);
});

describe('which rule decides, before and after', () => {
  const broad = 's/* create,read';
  const holds = 'role deploy p,q';
  const rowsOf = (text: string) => rowsIn(`policy p: ${broad}\n ${text}`);

  test.each<[reason: string, change: string, before: string, after: string]>([
    [
      'The rule for s/db is gone from policy q, so s/* decides there.',
      `${holds}\n ~ policy q: s/db read → -`,
      's/db: read',
      'create, read',
    ],
    [
      'The new rule for s/db in policy q decides there instead of s/*.',
      `${holds}\n ~ policy q → s/db read`,
      's/db: create, read',
      'read',
    ],
    [
      'The denial for s/db is gone from policy q, so s/* decides there.',
      `${holds}\n ~ policy q: s/db deny → -`,
      's/db: deny',
      'create, read',
    ],
    [
      'The new denial for s/db in policy q decides there instead of s/*.',
      `${holds}\n ~ policy q → s/db deny`,
      's/db: create, read',
      'deny',
    ],
    [
      'Policy q is lost, so s/* decides there.',
      'policy q: s/db read\n ~ role deploy p,q → p',
      's/db: read',
      'create, read',
    ],
    [
      'Policy q no longer denies s/db, so s/* decides there.',
      'policy q: s/db deny\n ~ role deploy p,q → p',
      's/db: deny',
      'create, read',
    ],
    [
      'The rule for s/db in policy q, which they gain, decides there instead of s/*.',
      'policy q: s/db read\n ~ role deploy p → p,q',
      's/db: create, read',
      'read',
    ],
    [
      'The denial for s/* is gone from policy q.',
      `${holds}\n ~ policy q: s/* deny → -`,
      's/*: deny',
      'create, read',
    ],
    [
      'Policy q no longer denies s/*.',
      'policy q: s/* deny\n ~ role deploy p,q → p',
      's/*: deny',
      'create, read',
    ],
  ])('%s', (reason, text, before, after) => {
    expect(rowsOf(text)).toMatchObject([{ cells: [{ before, after }], reasons: [reason] }]);
  });

  test.each([
    ['the rule alone says more', 's/* list → s/* delete,list'],
    ['a denial is written in another way', 't deny → t read'],
    ['no rule is left', 't read → -'],
    ['there was none', '- → t read'],
    ['two rules go', 's/db read; s/d* list → -'],
    ['rules of the same pattern decide', 't read; t list → t list'],
  ])('is in no sentence where %s', (_, rules) => {
    const rows = rowsOf(`${holds}\n ~ policy q: ${rules}`);
    expect(rows.length).toBeGreaterThan(0);
    // The other of two rules is alone on its paths.
    expect(rows.flatMap(({ reasons }) => reasons).filter((text) => !text.includes('s/d*'))).toEqual([]);
  });

  test('one policy that does the same to several is the row, and its name is in no sentence', () => {
    const [row, ...others] = rowsOf(`${holds}\n role second p,q\n ~ policy q: s/db read → -`);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      policy: 'policy q',
      who: [{}, {}],
      reasons: ['The rule for s/db is gone, so s/* decides there.'],
    });
    expect(rowLines(row as ReportRow)).toEqual([
      'policy q',
      expect.stringMatching(/^role /),
      'role ci/second',
      '  s/db: read → create, read',
      '  The rule for s/db is gone, so s/* decides there.',
    ]);
  });

  test('but not where they gain or lose a policy, or it is one alone', () => {
    const lost = rowsOf('policy q: s/db read\n ~ role deploy p,q → p\n ~ role second p,q → p');
    expect(lost).toMatchObject([{ who: [{}, {}] }]);
    for (const row of [...lost, ...rowsOf(`${holds}\n ~ policy q: s/db read → -`)]) {
      expect(row.policy).toBeUndefined();
    }
  });
});

test('a row names three of the groups that come with a role, and counts the others', () => {
  const groups = [1, 2, 3, 4, 5].map(
    (at) => `policy p${at}: a${at} read\n group g${at} p${at}\n alias t${at} ci g${at}`,
  );
  const rows = rowsIn(
    `${groups.join('\n ')}\n ~ role r groupsClaim: groups, boundSubject: a → groupsClaim: groups, boundSubject: null`,
  );
  expect(rows.flatMap(({ why }) => why).filter((text) => text.includes('group'))).toEqual([
    'gains: p1 by group g1 (people in "t1")',
    'gains: p2 by group g2 (people in "t2")',
    'gains: p3 by group g3 (people in "t3")',
    'gains: policies by 2 more groups',
  ]);
});

test('a token role by which more policies may be asked for says which, and to which paths they lead', () => {
  const policies =
    'policy pay-x: secret/pay read\n policy shop: secret/shop read\n policy pay-no: secret/no read';
  const given = 'disallowed_policies: [pay-no]';
  const rows = rowsIn(
    `${policies}\n ~ token deployer shop ${given} → shop ${given}, allowed_policies_glob: ["pay-*"]`,
  );
  expect(rows).toMatchObject([{ gains: 'some', why: ['gains: pay-x', 'gives: default, shop'] }]);
  expect(rows.flatMap(({ cells }) => cells)).toEqual([
    { before: '–', after: 'read secret/pay' },
    { before: 'allowed_policies_glob none', after: 'allowed_policies_glob pay-*' },
    { before: '–', after: 'what else it gives is not known' },
  ]);
});

describe('by which sign-ins people have what a group gives', () => {
  const reads = (...names: string[]) =>
    names.map((name) => `role ${name} ${name} groupsClaim: groups\n policy ${name}: ${name} read`).join('\n');
  const many = Array.from({ length: 30 }, (_, at) => `r${at}`);
  const pay = 'policy pay: s/pay read,update\n group pay pay\n + alias p ci pay';
  const bySignIns = (text: string) =>
    rowsIn(text).flatMap(({ who }) => who.flatMap(({ details }) => details.slice(0, 1)));

  test.each<[words: string, text: string]>([
    ['by role ci/a', reads('a')],
    ['by any role of auth/ci', reads('a', 'b')],
    ['by any role of auth/ci', reads(...many)],
    ['by any role of auth/ci (roles are elsewhere)', ''],
    ['by role ci/a', `${reads('a')}\n role b pay groupsClaim: groups`],
    ['by role ci/a, or role ci/c', `${reads('a', 'c')}\n role b pay groupsClaim: groups`],
    ['by role ci/a, role ci/c, or 1 more', `${reads('a', 'c', 'd')}\n role b pay groupsClaim: groups`],
    ['by role ci/r0, or others', `${reads(...many)}\n role b pay groupsClaim: groups`],
  ])('%s: %s', (words, text) => {
    expect(bySignIns(`${text}\n ${pay}`)).toEqual([`people in "p" ${words}`]);
  });

  test('a role gives it, or a user who is the same entity: no one needs both', () => {
    const jan =
      'user jan all\n entity jan -\n entity-alias jan userpass jan\n entity-alias jan ci jan\n alias p ci platform';
    const policies = 'policy all: * read,update\n policy ops: sys/health read';
    const roles =
      'role admin all groupsClaim: groups\n role reader read groupsClaim: groups\n policy read: a read';
    expect(bySignIns(`${policies}\n ${jan}\n ${roles}\n ~ group platform ops → -`)).toEqual([
      'people in "p" by role ci/admin, or user jan of userpass',
      'people in "p" by role ci/reader',
    ]);
  });

  test('a token with two groups has the one with the other', () => {
    const groups = 'group pay pay\n alias p ci pay\n group shut no';
    const policies = 'policy pay: s/* read\n policy no: s/x deny';
    expect(bySignIns(`${policies}\n ${reads('a')}\n ${groups}\n - alias s ci shut`)).toEqual([
      'people in "s" by role ci/a with alias ci/p (group pay)',
    ]);
  });
});

test.each([
  ['terraform', 'token_bound_cidrs', 'token_ttl'],
  ['pulumi', 'tokenBoundCidrs', 'tokenTtl'],
] as const)(
  'a role of another method says which fields change, and what it gives, as a role does: %s',
  (tool, cidrs, ttl) => {
    const text =
      '~ approle app p token_bound_cidrs: [10.0.0.0/8], token_ttl: 3600 → p token_bound_cidrs: null, token_ttl: 28800';
    const { changes: access } = decideAccess(change(`policy p: a read\n ${text}`), now);
    const { rows } = reportRows({ access, findings: [], tool });
    expect(rows).toMatchObject([
      {
        who: [{ name: 'role app of approle' }],
        why: ['gives: default, p'],
        cells: [
          { before: `${cidrs} 10.0.0.0/8`, after: `${cidrs} any` },
          { before: `${ttl} 1h`, after: `${ttl} 8h` },
        ],
      },
    ]);
  },
);

test.each<[lost: string, before: string]>([
  ['ref_type: tag', 'any ref of repository 17, audience "secrets", claim ref_type "tag"'],
  [
    'job_workflow_ref: acme/ci/deploy.yml@refs/heads/main',
    'reusable workflow acme/ci/deploy.yml@refs/heads/main, any ref of repository 17, audience "secrets"',
  ],
  [
    'event_name: push, actor: jan',
    'event push, any ref of repository 17, audience "secrets", claim actor "jan"',
  ],
])('who is newly let in without the bound %s was not let in by the words before', (lost, before) => {
  const kept = 'repository_id: "17"';
  const { changes: access } = decideAccess(
    change(`method ci oidcDiscoveryUrl: https://token.actions.githubusercontent.com
      ~ role r p boundClaims: {${kept}, ${lost}} → p boundClaims: {${kept}}`),
    now,
  );
  const [row] = reportRows({ access, findings: [], tool: 'gatehouse' }).rows;
  expect(row?.who[0]?.details).toEqual(['who is newly let in']);
  expect(row?.cells[0]).toEqual({ before, after: 'any ref of repository 17, audience "secrets"' });
});

test('a role of another method that comes or goes is shown with who signs in by it', () => {
  const detailsOf = (text: string) =>
    rowsIn(`mount apps approle\n policy p: a read\n ${text}`).flatMap(({ who }) =>
      who.flatMap(({ details }) => details),
    );
  const holders = ['jobs that hold a secret id of AppRole web'];
  expect(detailsOf('+ approle apps/web p')).toEqual(holders);
  expect(detailsOf('- approle apps/web p')).toEqual(holders);
  expect(detailsOf('~ approle apps/web - → p')).toEqual([]);
  // The name of a user says it.
  expect(detailsOf('mount people userpass\n + user people/ann p')).toEqual([]);
});

test('a method that is made is a sign-in path, and a role of it signs in', () => {
  const afterOf = (text: string) => rowsIn(text).flatMap(({ cells }) => cells.map(({ after }) => after));
  expect(afterOf('+ mount people userpass')).toEqual(['a sign-in path']);
  expect(afterOf('+ role r - tokenNoDefaultPolicy: true')).toEqual(['signs in']);
});
