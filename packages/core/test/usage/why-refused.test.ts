import { describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '../../src/usage/audit-line.ts';
import { isAsker, whyRefused } from '../../src/usage/why-refused.ts';
import { entryOf, graphOf, now, principal, rule, serviceOf } from './usage-graph.ts';

const graph = graphOf(
  {
    app: `${rule('kv/app/*', ['read'])}\n${rule('kv/{{identity.entity.name}}/*', ['read'])}`,
    closed: rule('kv/closed/*', ['deny']),
    limited: rule('kv/limited', ['update'], 'allowed_parameters = { "a" = ["x"] }'),
    wrapped: rule('kv/wrapped', ['read'], 'min_wrapping_ttl = "1m"'),
  },
  { web: ['app', 'closed', 'limited', 'wrapped'] },
);
const by = principal('web', ['app', 'closed', 'limited', 'wrapped']);
const moves = { mounts: [], arrived: [], unplaced: 0 };
const nothing = { signIns: [], writes: new Map<string, number>(), moves };
const named = { ids: { mount: {}, group: {}, entity: { e1: 'ann' } } };
const why = (given: Partial<AuditEntry>, options = {}, log = nothing) =>
  whyRefused(entryOf({ by, ...given }), log, serviceOf(graph, { ...named, ...options }), now);

describe('why a request was refused', () => {
  test.each<[string, Partial<AuditEntry>, object]>([
    ['no rule', { path: 'other' }, { why: { kind: 'no-rule' }, policies: [] }],
    [
      'a missing capability',
      { path: 'kv/app/x', operation: 'update' },
      { why: { kind: 'capability', capability: 'update' }, pattern: 'kv/app/*', policies: ['app'] },
    ],
    ['a denial', { path: 'kv/closed/x' }, { why: { kind: 'denied' }, policies: ['closed'] }],
    [
      'a limit on parameters',
      { path: 'kv/limited', operation: 'update', fields: { b: 1 } },
      { why: { kind: 'parameters' } },
    ],
    ['wrapping', { path: 'kv/wrapped' }, { why: { kind: 'wrapping' } }],
    [
      'a hashed value, unknown',
      { path: 'kv/limited', operation: 'update', fields: { a: 'hmac-sha256:0' } },
      { why: { kind: 'unknown', missing: { kind: 'hashed-value' } } },
    ],
    ['no valid token', { by: undefined, outcome: 'unchecked' }, { why: { kind: 'no-token' } }],
    [
      'no valid token for the token store',
      { by: undefined, outcome: 'unchecked', mount: 'auth/token', path: 'auth/token/lookup-self' },
      { why: { kind: 'no-token' } },
    ],
    [
      'a sign-in',
      { by: undefined, outcome: 'unchecked', mount: 'auth/apps', path: 'auth/apps/login' },
      { why: { kind: 'sign-in', method: 'apps' }, recorded: 'failed' },
    ],
    [
      'no policy, where none decides',
      { by: undefined, outcome: 'unchecked', failed: false, path: 'sys/health' },
      { why: { kind: 'unchecked' }, recorded: 'unchecked' },
    ],
    [
      'what comes before policies',
      { outcome: 'unchecked' },
      { why: { kind: 'unchecked' }, notes: [{ kind: 'before-policies' }] },
    ],
  ])('is said: %s', (_, given, expected) => {
    expect(why(given)).toMatchObject(expected);
  });

  test('an entity of a snapshot with hashed names leaves templates open', () => {
    expect(why({ path: 'kv/x/y' }, { ids: { mount: {}, group: {}, entity: { e1: '~0a1b' } } }).why).toEqual({
      kind: 'unknown',
      missing: { kind: 'template' },
    });
  });

  test('another namespace, and policies of others, are not known', () => {
    expect(why({ namespace: 'team' }).why).toMatchObject({ kind: 'unknown' });
    expect(why({}, { namespace: 'team' }).why).toEqual({
      kind: 'unknown',
      missing: { kind: 'policies-of-namespace', namespace: '' },
    });
    expect(why({ by: { ...by, unknown: 'elsewhere' } }).why).toEqual({
      kind: 'unknown',
      missing: { kind: 'policies-of-token', which: 'elsewhere' },
    });
  });

  test('one that was allowed has its rule, and one that failed behind it says so', () => {
    const allowed = { path: 'kv/app/x', outcome: 'allowed' as const };
    expect(why({ ...allowed, failed: false })).toMatchObject({
      why: { kind: 'allowed' },
      pattern: 'kv/app/*',
    });
    expect(why(allowed).why).toEqual({ kind: 'backend' });
  });

  test('policies that changed since are named with the time', () => {
    const writes = new Map([
      ['sys/policies/acl/app', Date.UTC(2026, 9, 2)],
      ['sys/policy/closed', Date.UTC(2026, 8, 2)],
    ]);
    const found = why({ path: 'kv/app/x' }, {}, { ...nothing, writes });
    expect(found).toMatchObject({
      why: { kind: 'changed', now: 'allowed' },
      notes: [{ kind: 'policy-written', policy: 'app', at: '2026-10-02T00:00:00.000Z' }],
    });
    expect(found.change).toBeUndefined();
  });

  test('policies that a service does not have are said, as of a log of another service', () => {
    const { notes } = why({ by: principal('web', ['elsewhere']) });
    expect(notes).toEqual([
      { kind: 'policies-gone', policies: ['elsewhere'] },
      { kind: 'deleted-or-elsewhere' },
    ]);
    const part = { ...graph, complete: [] };
    const undecided = whyRefused(
      entryOf({ by: principal('web', ['elsewhere']) }),
      nothing,
      serviceOf(part),
      now,
    );
    expect(undecided).toMatchObject({ notes: [], why: { kind: 'unknown' } });
  });

  test('a denial is said to be on purpose', () => {
    expect(why({ path: 'kv/closed/x' }).notes).toEqual([{ kind: 'denied-on-purpose' }]);
  });

  test('the role that asked is told from others', () => {
    const asked = { name: 'apps', entity: '', role: 'Web', method: 'apps', policies: [] };
    const of = (kind: 'role' | 'other', name: string, ownName?: string) => ({
      kind,
      name,
      method: 'apps',
      ...(ownName !== undefined && { ownName }),
    });
    expect(isAsker(of('other', 'role web of apps (approle)', 'web'), asked)).toBe(true);
    expect(isAsker(of('other', 'role web2 of apps (approle)', 'web2'), asked)).toBe(false);
    expect(isAsker(of('other', 'alias web of apps for entity web'), asked)).toBe(false);
    expect(isAsker({ ...of('other', 'role web of ci (approle)', 'web'), method: 'ci' }, asked)).toBe(false);
    expect(isAsker(of('role', 'web'), asked)).toBe(true);
    expect(isAsker(of('role', 'web'), { ...asked, role: '' })).toBe(false);
    expect(isAsker(of('role', 'web'), undefined)).toBe(false);
  });
});
