import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../../src/graph/change.ts';
import { review } from '../../../src/review/review.ts';
import type { Deployer } from '../../../src/review/rules/rule.ts';
import { judgeChange } from '../../../src/review/rules/rules.ts';
import { change, graph } from '../../worlds.ts';
import { change as changeOf, comparison, now } from '../graphs.ts';

const policies = 'policy login: sys/policies/acl/* create,update\n policy read: secret/* read';
const admin = 'role admin login';
const reader = 'role reader';

const lockOuts = (judged: Change, at: bigint, deployer?: Deployer) =>
  judgeChange(judged, { now: at, ...(deployer && { deployer }) }).filter(({ rule }) => rule === 'lock-out');
const subjects = (...given: Parameters<typeof lockOuts>) =>
  lockOuts(...given).map(({ subject }) => subject.name);

describe('the lock-out guard', () => {
  test.each<[what: string, objectsTo: string[], change: string, deployer?: Deployer]>([
    ['another way stays', [], `${policies}\n - ${admin}\n role other login`],
    ['a policy goes that decides nothing about sign-in', [], `${policies}\n ${admin}\n - ${reader}`],
    ['the policy itself is deleted under a role that keeps its name', ['login'], `- ${policies}\n ${admin}`],
    [
      'the policy loses what makes it administrative, and no other has it',
      ['login'],
      `~ policy login: sys/policies/acl/* create,update → sys/policies/acl/* read\n ${admin}`,
    ],
    ['there is no text, and a name that says enough', ['vault-admin'], '- role r vault-admin'],
    [
      'the last way to one of the deployer’s policies goes',
      ['read'],
      `${policies}\n ${admin}\n - ${reader}`,
      { policies: ['default', 'read'] },
    ],
  ])('where %s', (_, objectsTo, text, ...[deployer]) => {
    expect(subjects(change(text), now, deployer)).toEqual(objectsTo);
  });

  test('objects when the last role with an administrative policy goes', () => {
    expect(lockOuts(change(`${policies}\n - ${admin}\n ${reader}`), now)).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', name: 'login' } },
    ]);
  });

  test('only warns where what is declared is put back: administration came by hand', () => {
    const byHand = change(`${policies}\n ~ role admin login,read → read`);
    const found = judgeChange(byHand, { now, isRestoring: true });
    expect(found.filter(({ rule }) => rule === 'lock-out')).toMatchObject([{ severity: 'warning' }]);
    const own = judgeChange(byHand, { now, isRestoring: true, deployer: { policies: ['login'] } });
    expect(own.filter(({ rule }) => rule === 'lock-out')).toMatchObject([{ severity: 'error' }]);
  });

  test('objects when the role goes that the deployer signed in with', () => {
    const deployer = { policies: ['read'], role: { method: 'ci', name: 'reader' } };
    expect(lockOuts(change(`${policies}\n - ${reader}\n role other`), now, deployer)).toMatchObject([
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
    const given = graph(`${admin}\n ${reader}`, { policies: [login] });
    expect(subjects(changeOf(given, { ...given, roles: given.roles.slice(1) }), now)).toEqual(['login']);
  });

  test('says that a new limit on the last administrative policy cannot be judged', () => {
    const of = (limit: string) => graph(admin, { policies: [guarded(limit)] });
    const [before, after] = [of(''), of('control_group = { factor "a" {} }')];
    expect(lockOuts(changeOf(before, after), now)).toMatchObject([
      { rule: 'lock-out', severity: 'warning', subject: { type: 'policy', name: 'login' } },
    ]);
    expect(lockOuts(changeOf(after, before), now)).toEqual([]);
  });

  test('says that a policy cannot be judged where its text cannot be read, as an error', () => {
    const unread = 'policy login: path "sys/*" { capabilities = <<X';
    const { findings } = review(comparison(change(`${unread}\n - ${admin}\n ${reader}`)), { now });
    expect(findings.filter(({ subject }) => subject.name === 'login')).toMatchObject([
      { rule: 'lock-out', severity: 'error', subject: { type: 'policy', field: 'text' } },
    ]);
  });
});
