import { describe, expect, test } from '@jest/globals';
import { usageOf } from '../../src/usage/usage.ts';
import { graph } from '../worlds.ts';
import { ann, auditLine, folded, signInLine, start } from './log-lines.ts';

const now = BigInt(start + 86_400_000) * 1_000_000n;
const given = graph(`
  method staff
  role staff/reader app
  role staff/old spare
  group ops ops
  group idle idle
  group twin ops
  group empty -
  policy app: secret/data/a read; secret/data/b read
  policy ops: secret/metadata/* list
  policy spare: x read`);
const usage = (...lines: string[]) => usageOf(folded(lines), { graph: given }, now);
const one = (found: ReturnType<typeof usage>, kind: string, name: string, pattern?: string) =>
  found.used.find((used) => used.kind === kind && used.name === name && used.pattern === pattern);

describe('usage', () => {
  test('counts sign-ins of a role, and its people', () => {
    const bob = { ...ann, name: 'staff-bob', entity: 'e-bob' };
    const found = usage(
      signInLine('staff', ann),
      signInLine('staff', ann, { at: 60 }),
      signInLine('staff', bob),
    );
    expect(one(found, 'role', 'auth/staff/reader')).toMatchObject({
      ...{ used: 'yes', count: 2 + 1, people: 2, last: start + 60_000 },
    });
  });

  test('finds a role that no one signed in by', () => {
    expect(one(usage(signInLine('staff', ann)), 'role', 'auth/staff/old')).toMatchObject({
      used: 'no',
      count: 0,
    });
  });

  test('takes a role for used whose token is older than the log, and leaves it open where its method is not known', () => {
    const of = (by: typeof ann) => one(usage(auditLine({ by })), 'role', 'auth/staff/reader')?.used;
    expect([of(ann), of({ ...ann, name: 'elsewhere-ann' })]).toEqual(['yes', 'maybe']);
  });

  test('calls nothing unused where lines are cut', () => {
    const found = usage(auditLine(), '{"time":"2026-11-01T');
    expect(found.used.filter(({ used }) => used === 'no')).toEqual([]);
  });

  test('says which rule of a policy was used, and which was not', () => {
    const found = usage(auditLine());
    expect(one(found, 'policy', 'app')).toMatchObject({ used: 'yes', count: 1 });
    expect(one(found, 'rule', 'app', 'secret/data/a')).toMatchObject({ used: 'yes' });
    expect(one(found, 'rule', 'app', 'secret/data/b')).toMatchObject({ used: 'no' });
  });

  test('calls a policy unused that is held and allowed nothing', () => {
    expect(one(usage(auditLine()), 'policy', 'ops')).toMatchObject({ used: 'no' });
  });

  test('leaves open whether a policy was used by a request that cannot be told', () => {
    const by = { ...ann, token: ['app', 'elsewhere'] };
    const found = usage(auditLine({ by }));
    expect(one(found, 'policy', 'app')).toMatchObject({ used: 'maybe' });
    expect(found.answers.unknown).toEqual({ 'what policy "elsewhere" allows': 1 });
  });

  test('calls a group unused whose policy no one had', () => {
    expect(one(usage(auditLine()), 'group', 'idle')).toMatchObject({ used: 'no' });
  });

  test('leaves open which of two groups with one policy was used, and one without policies', () => {
    const found = usage(auditLine());
    expect(['ops', 'twin', 'empty'].map((name) => one(found, 'group', name)?.used)).toEqual([
      ...['maybe', 'maybe', 'maybe'],
    ]);
  });

  test('knows when a policy was written in the log', () => {
    const write = auditLine({ at: 30, operation: 'update', path: 'sys/policies/acl/spare', mount: 'sys/' });
    expect(one(usage(write), 'policy', 'spare')?.written).toBe(start + 30_000);
  });

  test('lists what was refused by role, with the last request', () => {
    const refused = { path: 'secret/data/z', allowed: false };
    const found = usage(
      signInLine('staff', ann),
      auditLine({ ...refused, at: 1 }),
      auditLine({ ...refused, at: 2 }),
    );
    expect(found.refused).toEqual([
      {
        ...{ by: 'auth/staff/reader', operation: 'read', path: 'secret/data/z' },
        ...{ count: 2, people: 1, last: start + 2000, id: 'id-2' },
      },
    ]);
  });

  test('compares recorded answers with those of the policies', () => {
    const found = usage(auditLine(), auditLine({ path: 'secret/data/z', at: 1 }));
    expect(found.answers).toEqual({ same: 1, other: 1, unknown: {} });
  });

  test('says what the log does not tell', () => {
    const found = usage(
      auditLine(),
      auditLine({ at: 7200, namespace: 'team' }),
      'cut {"time":"2026-11-01T',
      '{"a":1}',
      signInLine('staff', ann, { signIn: undefined, by: undefined, granted: false, error: 'hmac-sha256:x' }),
    );
    expect(found.untold).toEqual([
      ...['1 line is cut', '1 line is no entry of an audit log', '1 gap of more than an hour'],
      ...['1 entry is out of order', '1 request in another namespace', '1 refused sign-in, without its role'],
    ]);
  });
});
