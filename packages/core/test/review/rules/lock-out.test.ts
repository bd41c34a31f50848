import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../../src/graph/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { review } from '../../../src/review/review.ts';
import type { Deployer } from '../../../src/review/rules/rule.ts';
import { judgeChange } from '../../../src/review/rules/rules.ts';
import { change, comparison, now, policy, role } from '../graphs.ts';

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
/** A change of the roles; the policies stay. */
const ofRoles = (before: Role[], after: Role[], own: Graph['policies'] = policies) =>
  change({ roles: before, policies: own }, { roles: after, policies: own });

describe('the lock-out guard', () => {
  const weak = [policy('login', ['sys/policies/acl/*', 'read'])];
  const ofPolicies = (after: Graph['policies']) =>
    change({ roles: [admin], policies }, { roles: [admin], policies: after });
  const named = role('r', { policies: ['vault-admin'] });
  const cases: Record<string, [objectsTo: string[], judged: Change, deployer?: Deployer]> = {
    'another way stays': [[], ofRoles([admin, { ...admin, name: 'other' }], [{ ...admin, name: 'other' }])],
    'a policy goes that decides nothing about sign-in': [[], ofRoles([admin, reader], [admin])],
    'the policy itself is deleted under a role that keeps its name': [
      ['login'],
      ofPolicies(policies.slice(1)),
    ],
    'the policy loses what makes it administrative, and no other has it': [['login'], ofPolicies(weak)],
    'there is no text, and a name that says enough': [['vault-admin'], ofRoles([named], [], [])],
    'the last way to one of the deployer’s policies goes': [
      ['read'],
      ofRoles([admin, reader], [admin]),
      { policies: ['default', 'read'] },
    ],
  };
  test.each(Object.entries(cases))('where %s', (_, [objectsTo, judged, deployer]) => {
    expect(subjects(judged, now, deployer)).toEqual(objectsTo);
  });

  test('objects when the last role with an administrative policy goes', () => {
    expect(lockOuts(ofRoles([admin, reader], [reader]), now)).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', name: 'login' } },
    ]);
  });

  test('objects when the role goes that the deployer signed in with', () => {
    const other = { ...reader, name: 'other' };
    const deployer = { policies: ['read'], role: { method: 'ci', name: 'reader' } };
    expect(lockOuts(ofRoles([reader, other], [other]), now, deployer)).toMatchObject([
      { subject: { type: 'role', name: 'reader', method: 'ci' } },
    ]);
  });

  const guarded = (limits: string, capabilities = '["create", "update"]') => ({
    name: 'login',
    text: `path "sys/policies/acl/*" { capabilities = ${capabilities} ${limits} }`,
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
    expect(subjects(ofRoles([admin, reader], [reader], own), now)).toEqual(['login']);
  });

  test('says that a new limit on the last administrative policy cannot be judged', () => {
    const of = (limits: string) => ({ roles: [admin], policies: [guarded(limits)] });
    const [before, after] = [of(''), of('control_group = { factor "a" {} }')];
    expect(lockOuts(change(before, after), now)).toMatchObject([
      { rule: 'lock-out', severity: 'warning', subject: { type: 'policy', name: 'login' } },
    ]);
    expect(lockOuts(change(after, before), now)).toEqual([]);
  });

  test('says that a policy cannot be judged where its text cannot be read, as an error', () => {
    const unread = [{ name: 'login', text: 'path "sys/*" { capabilities = <<X' }];
    const { findings } = review(comparison(ofRoles([admin, reader], [reader], unread)), { now });
    expect(findings.filter(({ subject }) => subject.name === 'login')).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', field: 'text' } },
    ]);
  });
});
