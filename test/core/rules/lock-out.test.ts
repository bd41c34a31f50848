import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../../core/model/change.ts';
import { reviewChange } from '../../../core/review/review.ts';
import type { Deployer } from '../../../core/rules/rule.ts';
import { judgeChange } from '../../../core/rules/rules.ts';
import { change, now, policy, role } from '../review/graphs.ts';

const policies = [
  policy('login', ['sys/policies/acl/*', 'create', 'update']),
  policy('read', ['secret/*', 'read']),
];
const admin = role('admin', { policies: ['login'] });
const reader = role('reader');

const lockOuts = (judged: Change, at: bigint, deployer?: Deployer) =>
  judgeChange(judged, { now: at, ...(deployer && { deployer }) }).filter(({ rule }) => rule === 'lock-out');
const subjects = (...given: Parameters<typeof lockOuts>) =>
  lockOuts(...given).map(({ subject }) => subject.name);

describe('the lock-out guard', () => {
  test('objects when the last role with an administrative policy goes', () => {
    const found = lockOuts(change({ roles: [admin, reader], policies }, { roles: [reader], policies }), now);
    expect(found).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', name: 'login' } },
    ]);
  });

  test('says nothing while another way stays', () => {
    const other = { ...admin, name: 'other' };
    expect(subjects(change({ roles: [admin, other], policies }, { roles: [other], policies }), now)).toEqual(
      [],
    );
  });

  test('says nothing of a policy that decides nothing about sign-in', () => {
    expect(subjects(change({ roles: [admin, reader], policies }, { roles: [admin], policies }), now)).toEqual(
      [],
    );
  });

  test('objects when the policy itself is deleted under a role that keeps its name', () => {
    const left = policies.filter(({ name }) => name !== 'login');
    expect(subjects(change({ roles: [admin], policies }, { roles: [admin], policies: left }), now)).toEqual([
      'login',
    ]);
  });

  test('objects when the policy loses what makes it administrative, and no other has it', () => {
    const weak = [policy('login', ['sys/policies/acl/*', 'read'])];
    expect(subjects(change({ roles: [admin], policies }, { roles: [admin], policies: weak }), now)).toEqual([
      'login',
    ]);
  });

  test('goes by the name where there is no text', () => {
    const named = role('r', { policies: ['vault-admin'] });
    expect(subjects(change({ roles: [named] }, { roles: [] }), now)).toEqual(['vault-admin']);
  });

  test('objects when the last way to one of the deployer’s policies goes', () => {
    const before = { roles: [admin, reader], policies };
    const deployer = { policies: ['default', 'read'] };
    expect(subjects(change(before, { roles: [admin], policies }), now, deployer)).toEqual(['read']);
  });

  test('objects when the role goes that the deployer signed in with', () => {
    const other = { ...reader, name: 'other' };
    const deployer = { policies: ['read'], role: { method: 'ci', name: 'reader' } };
    const found = lockOuts(
      change({ roles: [reader, other], policies }, { roles: [other], policies }),
      now,
      deployer,
    );
    expect(found).toMatchObject([{ subject: { type: 'role', name: 'reader', method: 'ci' } }]);
  });

  const guarded = (more: string, capabilities = '["create", "update"]') => ({
    name: 'login',
    text: `path "sys/policies/acl/*" { capabilities = ${capabilities} ${more} }`,
  });
  const json = {
    path: { 'sys/policies/acl/*': { capabilities: ['update'], control_group: { factor: {} } } },
  };

  test.each([
    ['control_group', guarded('control_group = { factor "a" { identity { approvals = 1 } } }')],
    ['mfa_methods', guarded('\n\tmfa_methods=[\r\n"x" , ]')],
    ['subscribe_event_types', guarded('subscribe_event_types = ["*"]', '["subscribe", "update"]')],
    ['a block of another server', guarded('quota "x" { per { hour = 1 } }')],
    ['JSON', { name: 'login', text: JSON.stringify(json) }],
    [
      'a path that is there twice',
      { name: 'login', text: `${guarded('', '["read"]').text}\n${guarded('pagination_limit = 5').text}` },
    ],
  ])('judges a policy with %s', (_, login) => {
    const own = [login, policies[1] as (typeof policies)[number]];
    expect(
      subjects(change({ roles: [admin, reader], policies: own }, { roles: [reader], policies: own }), now),
    ).toEqual(['login']);
  });

  test('says that a new limit on the last administrative policy cannot be judged', () => {
    const [before, after] = ['', 'control_group = { factor "a" {} }'].map((more) => ({
      roles: [admin],
      policies: [guarded(more)],
    }));
    expect(lockOuts(change(before ?? {}, after ?? {}), now)).toMatchObject([
      { rule: 'lock-out', severity: 'warning', subject: { type: 'policy', name: 'login' } },
    ]);
    expect(lockOuts(change(after ?? {}, before ?? {}), now)).toEqual([]);
  });

  test('says that a policy cannot be judged where its text cannot be read, as an error', () => {
    const unread = [{ name: 'login', text: 'path "sys/*" { capabilities = <<X' }];
    const { findings } = reviewChange(
      change({ roles: [admin, reader], policies: unread }, { roles: [reader], policies: unread }),
      { now },
    );
    expect(findings.filter(({ subject }) => subject.name === 'login')).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', field: 'text' } },
    ]);
  });
});
