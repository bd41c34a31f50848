import { describe, expect, test } from '@jest/globals';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import { summaryOf } from '../../src/review/replay-summary.ts';
import { replayCauseWords } from '../../src/words/request-words.ts';
import { logOf, policyOf, replayed, roleOf, serviceOf, someone } from './replayed-log.ts';

const bob = someone({ name: 'ci-bob', entity: 'e-2' });
const log = logOf(
  { path: 'secret/data/shop/a', count: 2 },
  { path: 'secret/data/shop/b', by: bob },
  { path: 'secret/data/shop/c', by: bob, operation: 'list' },
);
const before = serviceOf({ policies: [policyOf('shop', 'secret/data/shop/*', 'read', 'list')] });
const replay = replayed(log, {
  before,
  after: serviceOf({ policies: [policyOf('shop', 'secret/data/shop/*')] }),
});

describe('a summary of a replay', () => {
  test('counts requests and people, by role and reason', () => {
    expect(summaryOf(replay, { onService: true })).toMatchObject({
      requests: 4,
      refused: { requests: 4, principals: 2 },
      unknown: { requests: 0, principals: 0 },
      groups: [
        { answer: 'refused', by: 'role ci/web', requests: 3, principals: 2 },
        { answer: 'refused', by: 'role ci/web', requests: 1, principals: 1 },
      ],
    });
  });

  test('has nothing of people and paths', () => {
    const text = JSON.stringify(summaryOf(replay, { onService: true }));
    expect(text).not.toMatch(/alice|bob|secret|e-1|e-2/);
  });

  test('has an example of each where people are shown: the last one, with the rule before', () => {
    const [first] = summaryOf(replay, { onService: true, people: true }).groups;
    expect(first).toMatchObject({
      rule: 'secret/data/shop/*',
      because: { kind: 'capability', capability: 'read' },
      example: {
        at: '2026-11-25T12:00:00.001Z',
        who: 'ci-bob',
        operation: 'read',
        path: 'secret/data/shop/b',
      },
    });
  });

  test('does not name the user of a method where the user is the person', () => {
    const user = someone({ name: 'userpass-carol', role: 'carol', metadata: { username: 'carol' } });
    const at = { type: 'userpass', method: 'userpass', noun: 'user', name: 'carol' } as const;
    const carol = otherRole(at, { token_policies: ['shop'] });
    const gone = replayed(logOf({ path: 'secret/data/shop/a', by: user }), {
      before: serviceOf({ others: [carol] }),
      after: serviceOf(),
    });
    const summary = summaryOf(gone, { onService: true });
    expect(summary.groups).toMatchObject([
      { by: 'auth/userpass', because: { kind: 'sign-in', doubt: { kind: 'role-gone' } } },
    ]);
    expect(summary.groups.map(({ because }) => replayCauseWords(because))).toEqual([
      'a user of auth/userpass is gone',
    ]);
    expect(JSON.stringify(summary)).not.toContain('carol');
  });

  test('keeps what was not replayed', () => {
    const ofPlan = { kind: 'resources-not-read' as const, type: 'vault_mount', count: 2 };
    const undecided = replayed(log, { before, after: before, unknown: [{ type: 'other', name: 'x' }] });
    expect(summaryOf(undecided, { onService: false, missing: [ofPlan] })).toMatchObject({
      missing: [ofPlan, { kind: 'unnamed', subject: { type: 'other', name: 'x' } }],
      onService: false,
    });
  });

  test('puts what is refused before what is unknown', () => {
    const other = someone({ role: 'job', metadata: { role: 'job' } });
    const roles = (bounds: Record<string, string[]>) => [roleOf({ name: 'job', boundClaims: bounds })];
    const mixed = replayed(
      logOf({ path: 'secret/data/shop/a', by: other, count: 9 }, { path: 'secret/data/shop/a' }),
      {
        before: serviceOf({ roles: [roleOf(), ...roles({})] }),
        after: serviceOf({ roles: roles({ ref: ['main'] }) }),
      },
    );
    expect(summaryOf(mixed, { onService: true }).groups.map(({ answer }) => answer)).toEqual([
      'refused',
      'unknown',
    ]);
  });
});
