import { describe, expect, test } from '@jest/globals';
import { refine } from '../../src/usage/refine.ts';
import { replay } from '../../src/usage/replay.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { auditLine, folded, type Line, signInLine } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const web = { name: 'apps', entity: 'e-web', token: ['app', 'default'], metadata: { role_name: 'web' } };
const text = rule('team/kv/*', ['read', 'list']) + rule('kv/*', ['read']) + rule('sys/audit', ['read']);
const graph = graphOf({ app: text }, { web: ['app'] });
const [policy = { name: '', text: '' }] = graph.policies;
const below = (fields: Line = {}) =>
  auditLine({ path: 'kv/a', mount: 'team/kv/', namespace: 'team', by: web, at: 1, ...fields });
const log = (...lines: string[]) => folded([signInLine('apps', web), ...lines]);
const rulesOf = (...lines: string[]) =>
  usageOf(log(...lines), { graph }, now)
    .used.filter(({ kind }) => kind === 'rule')
    .map(({ pattern, used }) => [pattern, used]);

describe('a request in a namespace below', () => {
  test('uses the rule that names the namespace', () => {
    expect(rulesOf(below())).toEqual([
      ['team/kv/*', 'yes'],
      ['kv/*', 'no'],
      ['sys/audit', 'no'],
    ]);
  });

  test('that is refused is of the token that the log signed in', () => {
    const refused = below({ allowed: false, operation: 'delete' });
    expect(usageOf(log(refused), { graph }, now)).toMatchObject({
      answers: { same: 1, other: 0 },
      refused: [{ by: 'role apps/web', path: 'team/kv/a' }],
    });
  });

  test('is replayed, and refined, by the same rule', () => {
    const after = graphOf({ app: rule('kv/*', ['read']) }, { web: ['app'] });
    expect(replay(log(below()), { before: graph, after }, { now }).refused).toHaveLength(1);
    expect(refine(log(below()), { graph }, policy, { now })).toMatchObject({
      taken: [
        { pattern: 'team/kv/*', capabilities: ['list'] },
        { pattern: 'kv/*' },
        { pattern: 'sys/audit' },
      ],
    });
  });

  test('needs sudo where its path does there', () => {
    const asked = below({ path: 'sys/audit', mount: 'team/sys/', allowed: false });
    const wide = graphOf({ app: rule('team/*', ['read']) }, { web: ['app'] });
    expect(usageOf(log(asked), { graph: wide }, now).answers).toEqual({ same: 1, other: 0, unknown: [] });
  });

  test('by a token of that namespace is none of ours', () => {
    const own = { ...web, entity: 'e.n', name: 'team-auth-up-bob' };
    const found = log(below({ by: own, grantedIn: 'n' }), below({ by: own, at: 2, allowed: false }));
    expect(found).toMatchObject({ requests: [], otherNamespaces: 2 });
  });
});

test('a token of the namespace above has other policies than those here', () => {
  const found = folded([below()], { namespace: 'team' });
  expect(found.requests).toMatchObject([{ by: { unknown: 'elsewhere' } }]);
});

test('a role here is not used by a token of the namespace above, whose role is called the same', () => {
  const child = { ...web, name: 'token', accessor: 'kid' };
  const making = {
    path: 'auth/token/create',
    mount: 'auth/token/',
    operation: 'update',
    by: web,
    gives: child,
  };
  const usedBy = (...lines: string[]) => {
    const found = usageOf(folded(lines, { namespace: 'team' }), { graph }, now);
    return [found.used.find(({ kind }) => kind === 'role')?.used, found.origins.unknown];
  };
  const signIn = signInLine('apps', web);
  expect(usedBy(signIn, below())).toEqual(['no', 0]);
  expect(usedBy(signIn, auditLine(making), below({ by: child }))).toEqual(['no', 0]);
  const own = {
    path: 'auth/apps/login',
    mount: 'team/auth/apps/',
    mountType: 'approle',
    operation: 'update',
  };
  expect(usedBy(auditLine({ ...own, namespace: 'team', by: web, signIn: web }))).toEqual(['yes', 0]);
});
