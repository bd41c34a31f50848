import { describe, expect, test } from '@jest/globals';
import type { DriftReport } from '../../src/drift/drift.ts';
import { driftText, watchedDrift } from '../../src/drift/drift-text.ts';
import { styleFor } from '../../src/terminal/style.ts';

const clean: DriftReport = {
  address: 'http://x',
  compared: 2,
  plainEntities: 0,
  isUnmanagedDrift: true,
  differences: [],
  unmanaged: [],
  unverifiable: [],
  missing: [],
  secrets: [],
  promises: [],
  ended: [],
  trust: [],
  known: [],
};
const role = { type: 'role', name: 'web', method: 'cluster' } as const;
const shown = (fields: Partial<DriftReport>) => driftText({ ...clean, ...fields }, styleFor({}, {}));

test('there is no drift only where everything was read', () => {
  expect(shown({})).toBe('http://x: no drift\n');
  expect(shown({ unverifiable: [{ subject: role, why: 'permission denied' }] })).toMatch(
    /\nhttp:\/\/x: 1 cannot be read\n$/,
  );
});

test('what should have ended is a line of its own, by the name of it', () => {
  const message = 'It should have ended on 2026-12-31; the service does not enforce it.';
  const ended = [{ rule: 'ended', severity: 'error' as const, subject: role, message, fix: '', docs: '' }];
  expect(shown({ ended })).toBe(
    `!  role cluster/web: ${message}\n\nhttp://x: no drift; 1 should have ended\n`,
  );
});

test('one of a kind is singular', () => {
  const secret = { type: 'method', name: 'staff' } as const;
  expect(shown({ secrets: [secret], plainEntities: 1 })).toBe(
    'http://x: no drift; 1 entity without policies of its own; 1 secret that no service shows\n',
  );
});

test('what is the same in several namespaces is said once, and what differs stands by itself', () => {
  const missing = (namespace: string, name: string) =>
    ({ kind: 'missing', subject: { type: 'policy', name, namespace } }) as const;
  const differences = [missing('a', 'read'), missing('b', 'read'), missing('b', 'ops')];
  expect(shown({ differences })).toBe(
    [
      '-  policy read is missing',
      '     the same in 2 namespaces (a, b)',
      '-  policy b/ops is missing',
      '\nhttp://x: 3 of 2 differ\n',
    ].join('\n'),
  );
});

describe('the watch', () => {
  const gained = {
    principals: { kind: 'role', method: 'cluster', name: 'web' },
    kind: 'changed',
    gains: 'some',
    losses: 'none',
    life: 'same',
    bounds: {},
    policies: { gained: ['ops'], lost: [], kept: [] },
    groups: [],
    paths: [],
    also: [],
    unread: [],
    uncertain: [],
  };
  const access = { gains: 'some', losses: 'none', life: 'same', access: [gained] };
  const report: any = { ...clean, access: { ...access, over: { roles: 1, groups: 0, paths: 0 } } };

  test('says how many gain, without a name', () => {
    expect(watchedDrift(report).summary).toBe('1 principal gained access; no drift');
    expect(watchedDrift(clean).summary).toBe('no drift');
  });

  test('says who gains, where something bears on access', () => {
    expect(watchedDrift(report).access).toMatchObject({
      gains: 'some',
      life: 'same',
      gained: ['1 role gains access.', 'role cluster/web', '  gains: ops', expect.any(String)],
    });
    expect(watchedDrift(clean)).not.toHaveProperty('access');
  });

  test('has errors first, then what was added, what differs, what is missing and what cannot be read', () => {
    const subject = (name: string) => ({ type: 'policy', name }) as const;
    const ended = [
      { rule: 'ended', severity: 'error' as const, subject: role, message: 'Ended.', fix: '', docs: '' },
    ];
    const differences: DriftReport['differences'] = [
      { kind: 'missing', subject: subject('a') },
      { kind: 'changed', subject: subject('b'), field: 'ttl', declared: 1, live: 2 },
      { kind: 'added', subject: subject('c'), note: 'by hand' },
    ];
    const unverifiable = [{ subject: subject('d'), why: 'permission denied' }];
    const { findings } = watchedDrift({ ...clean, differences, ended, unverifiable });
    expect(findings.map((text) => text[0])).toEqual(['!', '+', '~', '-', '?']);
  });
});
