import { describe, expect, test } from '@jest/globals';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import type { RoleNoun } from '../../src/graph/resources/other-methods.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { missingFromLogWords } from '../../src/words/missing-from-log-words.ts';
import { graph } from '../worlds.ts';
import { ann, auditLine, folded, signInLine, start } from './log-lines.ts';
import { graphOf, rule } from './usage-graph.ts';

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
      used: 'yes',
      count: 2 + 1,
      people: 2,
      last: start + 60_000,
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
    expect(found.answers.unknown).toEqual([
      { missing: { kind: 'policy-text', policy: 'elsewhere' }, count: 1 },
    ]);
  });

  test('calls a group unused whose policy no one had', () => {
    expect(one(usage(auditLine()), 'group', 'idle')).toMatchObject({ used: 'no' });
  });

  test('leaves open which of two groups with one policy was used, and one without policies', () => {
    const found = usage(auditLine());
    expect(['ops', 'twin', 'empty'].map((name) => one(found, 'group', name)?.used)).toEqual([
      'maybe',
      'maybe',
      'maybe',
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
        by: 'role staff/reader',
        operation: 'read',
        path: 'secret/data/z',
        count: 2,
        people: 1,
        last: start + 2000,
        id: 'id-2',
      },
    ]);
  });

  test('takes the role from what the method wrote, not from what people wrote', () => {
    const web = {
      name: 'apps',
      entity: 'e',
      token: ['app'],
      metadata: { role: 'batch', role_name: 'web', username: 'x' },
    };
    const apps = graphOf({ app: rule('kv/*', ['read']) }, { web: ['app'], batch: ['app'] });
    const { used } = usageOf(
      folded([signInLine('apps', web), auditLine({ by: web, at: 1 })]),
      { graph: apps },
      now,
    );
    expect(used.filter(({ kind }) => kind === 'role').map(({ name, used }) => [name, used])).toEqual([
      ['auth/apps/web', 'yes'],
      ['auth/apps/batch', 'no'],
    ]);
  });

  test('takes the user from the path of the sign-in', () => {
    const al = { name: 'people-al', entity: 'e', token: ['app'], metadata: {} };
    const line = signInLine('people', al, { path: 'auth/people/login/Al' });
    expect(folded([line]).signIns).toMatchObject([{ method: 'people', role: 'al' }]);
  });

  test.each<[type: string, noun: RoleNoun, path: string, mount: string]>([
    ['userpass', 'user', 'auth/user/users/al', 'user'],
    ['token', 'role', 'auth/token/roles/al', 'token'],
    ['approle', 'role', 'auth/user/role/al', 'user'],
    ['approle', 'role', 'auth/user/role/al/policies', 'user'],
    ['ldap', 'group', 'auth/user/groups/al', 'user'],
    ['cert', 'role', 'auth/user/certs/al', 'user'],
    ['aws', 'role', 'auth/user/role/al', 'user'],
  ])('knows the age of what a method of type %s has: %s', (type, noun, path, mount) => {
    const one = otherRole({ type, method: mount, noun, name: 'al' }, { token_policies: ['app'] });
    const write = auditLine({ at: 30, operation: 'update', path, mount: `auth/${mount}/` });
    const { used } = usageOf(folded([write]), { graph: { ...given, others: [one] } }, now);
    expect(used.find(({ name }) => name === `auth/${mount}/al`)).toMatchObject({ written: start + 30_000 });
  });

  test('no secret id that is made is a write of its role', () => {
    const one = otherRole({ type: 'approle', method: 'apps', noun: 'role', name: 'al' }, {});
    const write = auditLine({
      operation: 'update',
      path: 'auth/apps/role/al/secret-id',
      mount: 'auth/apps/',
    });
    const { used } = usageOf(folded([write]), { graph: { ...given, others: [one] } }, now);
    expect(used.find(({ name }) => name === 'auth/apps/al')?.written).toBeUndefined();
  });

  test.each(['response-wrapping', 'control-group'])('knows what %s allows, which no list shows', (name) => {
    const by = { name: 'apps', token: [name] };
    const unwrap = { path: 'sys/wrapping/unwrap', mount: 'sys/', operation: 'update', by };
    const lines = [auditLine(unwrap), auditLine({ path: 'kv/a', by, at: 1, allowed: false })];
    const whole = { ...given, complete: [{ list: 'policies' as const }] };
    const { answers, origins } = usageOf(folded(lines), { graph: whole }, now);
    expect([answers, origins]).toEqual([
      { same: 2, other: 0, unknown: [] },
      { known: 2, unknown: 0 },
    ]);
  });

  test('masks a token in a path', () => {
    const token = 's.jGK0akcoAPfxa3UrNPOurWIO';
    const lines = [
      `auth/token/lookup/${token}`,
      `cubbyhole/${token}/x`,
      'auth/token/revoke-accessor/Uhwh6SAO6LyN',
    ].map((path, at) => auditLine({ path, mount: path.replace(/\/.*/, '/'), at, allowed: false }));
    expect(
      usageOf(folded(lines), { graph: given }, now)
        .refused.map(({ path }) => path)
        .sort(),
    ).toEqual(['auth/token/lookup/[token]', 'auth/token/revoke-accessor/[token]', 'cubbyhole/[token]/x']);
  });

  test('compares recorded answers with those of the policies', () => {
    const found = usage(auditLine(), auditLine({ path: 'secret/data/z', at: 1 }));
    expect(found.answers).toEqual({ same: 1, other: 1, unknown: [] });
  });

  test('says what the log does not tell', () => {
    const found = usage(
      auditLine(),
      auditLine({ at: 7200, namespace: 'team', grantedIn: 'n' }),
      'cut {"time":"2026-11-01T',
      '{"a":1}',
      signInLine('staff', ann, { signIn: undefined, by: undefined, granted: false, error: 'hmac-sha256:x' }),
    );
    expect(found.untold.map(missingFromLogWords)).toEqual([
      '1 line is damaged',
      '1 line is no entry of an audit log',
      '1 entry is out of order',
      '1 request in another namespace',
      '1 refused sign-in, without its role',
      'the clock jumped at 1 entry, whose time does not count',
    ]);
  });
});
