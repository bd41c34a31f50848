import { describe, expect, test } from '@jest/globals';
import type { Principals } from '../../src/access/access-change.ts';
import { grantUse } from '../../src/usage/grant-use.ts';
import { refine } from '../../src/usage/refine.ts';
import { replay } from '../../src/usage/replay.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { ann, auditLine, folded, type Line, signInLine, start } from './log-lines.ts';
import { graphOf, rule } from './usage-graph.ts';

const now = BigInt(start + 86_400_000) * 1_000_000n;
const web = { name: 'apps', entity: 'e', token: ['app'], metadata: { role_name: 'web' } };
const graphWith = (...rules: string[]) => graphOf({ app: rules.join('\n') }, { web: ['app'] });
const both = graphWith(rule('kv/data/*', ['read']), rule('kv2/data/*', ['read']), rule('x/*', ['read']));
const present = graphWith(rule('kv2/data/*', ['read']));

const kv = (mount: string, at: number, fields: Line = {}) =>
  auditLine({ path: `${mount}/data/app`, mount: `${mount}/`, accessor: 'kv_1', by: web, at, ...fields });
const remount = (at: number, fields: Line = {}) =>
  auditLine({
    path: 'sys/remount',
    mount: 'sys/',
    mountType: 'system',
    accessor: 'system_1',
    operation: 'update',
    by: { name: 'root', token: ['root'] },
    at,
    data: { from: 'hmac-sha256:1', to: 'hmac-sha256:2' },
    ...fields,
  });
/** A request that policies refuse: it shows where the mount is, and uses nothing. */
const look = (mount: string, at: number, fields: Line = {}) =>
  kv(mount, at, { path: `${mount}/config`, operation: 'list', allowed: false, ...fields });
/** One moved between two requests: the first uses what the second only looks for. */
const kvLines = [kv('kv', 0), remount(10), look('kv2', 20)];

function usedIn(lines: string[], graph = both, namespace = '') {
  const { used, untold, answers } = usageOf(folded(lines, { namespace }), { graph }, now);
  const rules = used.filter(({ kind }) => kind === 'rule');
  const roles = used.filter(({ kind }) => kind === 'role');
  return {
    untold,
    answers,
    rules: Object.fromEntries(rules.map((one) => [one.pattern, one.used])),
    roles: Object.fromEntries(roles.map((one) => [one.name, one.used])),
  };
}

describe('a mount that was moved', () => {
  test('keeps its use: a request counts for the rules at its path then, and at its path now', () => {
    expect(usedIn(kvLines).rules).toEqual({ 'kv/data/*': 'yes', 'kv2/data/*': 'yes', 'x/*': 'no' });
  });

  test('is told from another one of the same path', () => {
    const other = look('kv2', 20, { accessor: 'kv_2' });
    const again = look('kv', 30);
    expect(usedIn([kv('kv', 0), other, again]).rules).toMatchObject({ 'kv2/data/*': 'no' });
  });

  test('leaves the rules of its earlier path unused where it was asked at the new one alone', () => {
    const early = look('kv', 0);
    expect(usedIn([early, remount(10), kv('kv2', 20)]).rules).toMatchObject({
      'kv/data/*': 'no',
      'kv2/data/*': 'yes',
    });
  });

  test('is where it was last, in whatever order files come', () => {
    expect(usedIn([...kvLines].reverse()).rules).toMatchObject({ 'kv2/data/*': 'yes' });
  });

  test('has the answers of policies that follow it', () => {
    expect(usedIn(kvLines.slice(0, 2).concat(kv('kv2', 20)), present).answers).toMatchObject({ other: 0 });
  });

  test('counts a request once for a policy', () => {
    const { used } = usageOf(folded(kvLines.slice(0, 2).concat(kv('kv2', 20))), { graph: both }, now);
    expect(used.find(({ kind }) => kind === 'policy')).toMatchObject({ name: 'app', count: 2 });
  });

  test('is known by the request that moves it where its fields are in clear', () => {
    const clear = remount(10, { data: { from: 'kv', to: 'kv2/' } });
    expect(usedIn([kv('kv', 0), clear])).toMatchObject({
      rules: { 'kv2/data/*': 'yes', 'x/*': 'no' },
      untold: expect.not.arrayContaining([expect.objectContaining({ kind: 'mounts-not-seen' })]),
    });
  });

  test('may be at each of its paths where a clock jumped', () => {
    const ahead = look('kv', 5 * 365 * 86_400);
    expect(usedIn([kv('kv', 0), ahead, ...kvLines.slice(1)]).rules).toMatchObject({ 'kv2/data/*': 'yes' });
  });

  test('is not known where a clock jumped and it has one path', () => {
    const ahead = look('kv', 5 * 365 * 86_400);
    const { rules } = usedIn([kv('kv', 0), ahead, remount(10), look('other', 20, { accessor: 'kv_3' })]);
    expect(rules).toMatchObject({ 'kv2/data/*': 'maybe' });
  });

  test('keeps the time when something in it was written', () => {
    const write = { path: 'auth/old/role/web', mount: 'auth/old/', operation: 'update', accessor: 'auth_1' };
    const lines = [auditLine({ ...write, at: 5 }), signInLine('apps', web, { accessor: 'auth_1', at: 9 })];
    const { used } = usageOf(folded(lines), { graph: both }, now);
    expect(used.find(({ name }) => name === 'auth/apps/web')?.written).toBe(start + 5000);
  });

  test('is not known where it was not seen since: nothing is called unused', () => {
    const { rules, untold } = usedIn([kv('kv', 0), remount(10)]);
    expect(rules).toEqual({ 'kv/data/*': 'yes', 'kv2/data/*': 'maybe', 'x/*': 'maybe' });
    expect(untold).toContainEqual({ kind: 'mounts-not-seen', count: 1 });
  });

  test('is not known where the log has no accessors', () => {
    const none = { accessor: undefined };
    const lines = [kv('kv', 0, none), remount(10, none), look('kv2', 20, none)];
    expect(usedIn(lines).rules).toMatchObject({ 'kv2/data/*': 'maybe', 'x/*': 'maybe' });
  });

  test('is where it was if the move was refused', () => {
    expect(usedIn([kv('kv', 0), remount(10, { allowed: false })]).rules).toMatchObject({ 'x/*': 'no' });
  });

  test('from another namespace leaves the rules at its path open', () => {
    const theirs = { ...web, name: 'theirs', entity: 'e.n' };
    const there = kv('kv', 0, { namespace: 'team', grantedIn: 'n', by: theirs });
    const here = look('kv2', 20);
    expect(usedIn([there, remount(10), here]).rules).toMatchObject({ 'kv2/data/*': 'maybe', 'x/*': 'no' });
  });

  test('below the namespace has the path that its policies call it by', () => {
    const there = look('kv', 20, { namespace: 'team' });
    const graph = graphWith(rule('team/kv/data/*', ['read']), rule('x/*', ['read']));
    expect(usedIn([kv('kv', 0), remount(10), there], graph).rules).toEqual({
      'team/kv/data/*': 'yes',
      'x/*': 'no',
    });
  });

  test('keeps what a damaged line may have used', () => {
    const cut = kv('kv', 5).replace(/,"response":.*/, ',"resp');
    expect(usedIn([look('kv', 0), cut, ...kvLines.slice(1)]).rules).toMatchObject({
      'kv2/data/*': 'maybe',
      'x/*': 'no',
    });
  });
});

describe('an auth method that was moved', () => {
  const signIn = (method: string, at: number, who = web) =>
    signInLine(method, who, { accessor: 'auth_approle_1', mountType: 'approle', at });

  test('keeps the use of its roles', () => {
    const other = { ...web, metadata: { role_name: 'other' } };
    const lines = [signIn('old', 0), remount(10), signIn('apps', 20, other)];
    const graph = graphOf({ app: rule('x', ['read']) }, { web: ['app'], other: ['app'], idle: ['gone'] });
    expect(usedIn(lines, graph).roles).toEqual({
      'auth/apps/web': 'yes',
      'auth/apps/other': 'yes',
      'auth/apps/idle': 'no',
    });
  });
});

describe('with a mount that was moved', () => {
  const log = folded([signInLine('apps', web, { at: 15, accessor: 'a', mountType: 'approle' }), ...kvLines]);

  test('a replay sends requests at the path that it has now', () => {
    const change = (after: typeof both) => replay(log, { before: both, after }, { now });
    expect(change(present).refused).toEqual([]);
    expect(change(graphWith(rule('kv/data/*', ['read']))).refused).toMatchObject([
      { request: { path: 'kv2/data/app', count: 1 } },
    ]);
  });

  test('a replay sends them at both paths where another mount has the first one', () => {
    const replaced = folded([
      signInLine('apps', web, { at: 15, accessor: 'a', mountType: 'approle' }),
      ...kvLines,
      kv('kv', 30, { accessor: 'kv_2' }),
    ]);
    const { refused } = replay(replaced, { before: both, after: present }, { now });
    expect(refused).toMatchObject([{ request: { path: 'kv/data/app' } }]);
  });

  test('a replay says what it cannot send', () => {
    const { missing } = replay(folded([kv('kv', 0), remount(10)]), { before: both, after: present }, { now });
    expect(missing).toEqual([{ kind: 'mounts-not-seen', count: 1 }]);
  });

  test('the last use of a grant is that of both paths', () => {
    const [node] = both.others ?? [];
    const who = { kind: 'other', name: 'role web of apps (approle)', node } as Principals;
    const use = grantUse(log, { graph: both }, now);
    expect(['kv/data/*', 'kv2/data/*', 'x/*'].map((one) => use.lastOf(who, one, ['app']))).toEqual([
      start,
      start,
      undefined,
    ]);
  });

  test('refine takes nothing that a request used at the other path', () => {
    const [policy = { name: '', text: '' }] = both.policies;
    const { taken } = refine(log, { graph: both }, policy, { now });
    expect(taken).toEqual([{ pattern: 'x/*', capabilities: ['read'] }]);
  });

  test('refine takes nothing where it may be anywhere', () => {
    const [policy = { name: '', text: '' }] = both.policies;
    const unplaced = folded([kv('kv', 0, { by: ann }), remount(10)]);
    expect(refine(unplaced, { graph: both }, policy, { now }).refused).toEqual({
      kind: 'mount-moved',
    });
  });
});
