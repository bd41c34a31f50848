import { describe, expect, test } from '@jest/globals';
import { administers } from '../../src/access/administration.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { giverWords } from '../../src/words/giver-words.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

/** Whether a role that comes to have a policy with such a rule administers by it. */
const isAdministration = (path: string, ...capabilities: string[]) => {
  const { changes } = decideAccess(change(`policy p: ${path} ${capabilities.join()}\n ~ role r - → p`), now);
  return changes.some(({ paths }) => paths.some(({ administers }) => administers !== undefined));
};

test.each([
  'sys/policies/acl/admin',
  'sys/policies/acl/prod-*',
  'sys/policies/egp/x',
  'sys/policies/rgp/x',
  'sys/policy/x',
  'sys/auth/new',
  'sys/auth/deep/er/mount',
  'sys/auth/ci/tune',
  'sys/mounts/auth/ci/tune',
  'auth/ci/config',
  'auth/aws/config/client',
  'auth/two/mounts/config',
  'auth/deep/er/mount/role/x',
  'auth/token/roles/x',
  'auth/ldap/groups/x',
  'auth/cert/certs/x',
  'auth/okta/map/teams/x',
  'auth/approle/role/ci/secret-id',
  'auth/approle/role/+/custom-secret-id',
  'auth/userpass/users/bob',
  'auth/userpass/users/bob/password',
  'auth/token/create/x',
  'auth/token/create-orphan',
  'identity/group',
  'identity/group/id/x',
  'identity/group/name/x',
  'identity/group-alias',
  'identity/group-alias/id/x',
  'identity/entity',
  'identity/entity/id/x',
  'identity/entity/name/x',
  'identity/entity/merge',
  'identity/entity-alias',
  'identity/entity-alias/id/x',
  'identity/alias',
  'identity/alias/id/x',
  'identity/persona',
  'identity/persona/id/x',
  'identity/mfa/login-enforcement/x',
  'sys/raw/core/x',
  'sys/remount',
  'sys/namespaces/team',
  'sys/plugins/catalog/auth/x',
  'sys/audit/file',
  'sys/storage/raft/snapshot',
  'sys/storage/raft/snapshot-force',
])('writing is administration at %s, and looking is not', (path) => {
  expect(isAdministration(path, 'update')).toBe(true);
  expect(isAdministration(path, 'read', 'list', 'scan', 'subscribe')).toBe(false);
});

test('making tokens is administration only with sudo, which gives them more than the maker has', () => {
  expect(isAdministration('auth/token/create', 'create', 'update')).toBe(false);
  expect(isAdministration('auth/token/create', 'update', 'sudo')).toBe(true);
  expect(administers('auth/token/create', 'root')).toBe(true);
});

test.each([
  'secret/data/x',
  'sys/mounts/kv',
  'sys/seal',
  'sys/rotate',
  'auth/ci/login',
  'identity/lookup/entity',
])('writing is not administration at %s', (path) => {
  expect(isAdministration(path, 'update')).toBe(false);
});

describe('who newly gets into a group of administrators', () => {
  const admins = 'group admins p\n alias a ci admins\n policy p: sys/policies/acl/* update';
  const keys = (host: string) => `oidcDiscoveryUrl: https://${host}.example`;
  const at = `${admins}\n method ci ${keys('a')}`;
  const newKeys = `${admins}\n ~ method ci ${keys('a')} → ${keys('b')}`;
  const found = (text: string) =>
    decideAccess(change(text), now).changes.flatMap(({ kind, administersBy = [] }) =>
      administersBy.map(({ group, path }) => `${kind} ${group} ${path}`),
    );
  const path = 'admins sys/policies/acl/x';
  /** A role that reads groups and comes to let in others. */
  const widens = (name = 'r', policies = '-', reads = 'groupsClaim: groups,') =>
    `~ role ${name} ${policies} ${reads} boundSubject: a → boundSubject: null`;
  const bothWiden = (policies = '-') => `${widens('r', policies)}\n ${widens('s', policies)}`;
  const reader = 'role r - groupsClaim: groups';
  const secondGroup = 'group more p,other\n alias b ci more';
  const denial = 'policy q: sys/policies/acl/* deny';
  const rule = (text: string) => at.replace(/policy p: .*/, `policy p: ${text}`);
  const bySecond = 'widened more sys/policies/acl/x';

  test.each<[what: string, change: string, ...found: string[]]>([
    ['by a role that lets in others', `${at}\n ${widens()}`, `widened ${path}`],
    ['by a role that is new', `${at}\n + ${reader}`, `opened ${path}`],
    ['by another source of keys', `${newKeys}\n ${reader}`, `opened ${path}`],
    ['by another source of keys of a method whose roles are not here', newKeys, `opened ${path}`],
    ['but not where the role itself denies it', `${at}\n ${denial}\n ${widens('r', 'q')}`],
    ['but not by a role that reads no groups', `${at}\n ${widens('r', '-', '')}`],
    [
      'told once a group, for each role',
      `${at}\n ${secondGroup}\n ${bothWiden()}`,
      `widened ${path}`,
      bySecond,
      `widened ${path}`,
      bySecond,
    ],
    ['but not where the role administers by itself', `${at}\n ${bothWiden('p')}`],
    ['but not where the group only lists', `${rule('sys/policies/acl/* list,read')}\n ${bothWiden()}`],
    ['but not where the group makes tokens', `${rule('auth/token/create update')}\n ${bothWiden()}`],
    ['not by what the policies of both deny together', `${at}\n ${denial}\n ${bothWiden('q')}`],
    [
      'by what the policies of both come to together',
      `${at.replace('admins p', 'admins p,q2')}\n ${denial}\n policy q2: sys/policies/acl/a update\n ${bothWiden('q')}`,
      ...Array(2).fill('widened admins sys/policies/acl/a'),
    ],
  ])('%s', (_, text, ...wanted) => {
    expect(found(text)).toEqual(wanted);
  });

  test('by another claim, though the same people get in', () => {
    const bound = 'boundClaims: {groups: [x], teams: [x]}';
    const text = `${at}\n ~ role r - groupsClaim: groups, ${bound} → groupsClaim: teams`;
    expect(found(text)).toContain(`changed ${path}`);
  });

  test('is not known where there is too much to compare', () => {
    const rules = (length: number, name: (at: number) => string) =>
      Array.from({ length }, (_, at) => `sys/policies/acl/${name(at)} update`);
    const many = [...rules(30, (at) => `{{t${at}}}`), ...rules(12, (at) => `w${at}`)].join('; ');
    const { uncertain } = decideAccess(change(`${rule(many)}\n ${widens()}`), now);
    expect(uncertain.map(reasonWords)).toEqual([
      'every path: there are more ways to fill in templates than can be compared',
    ]);
  });
});

describe('administration is new', () => {
  const everything = '* create,read,update,delete,list,sudo';
  const tidy = 'sys/policies/acl/* create,update,patch,delete; auth/* create,update,patch,delete,sudo';
  const writes = 'sys/policies/acl/* create,update';
  const policies = `policy all: ${everything}\n policy tidy: ${tidy}\n policy writes: ${writes}\n policy sets: auth/+/role/+ create,update`;
  const newlyAt = (text: string) =>
    decideAccess(change(`${policies}\n ${text}`), now).changes.flatMap(
      ({ principals: { name }, paths, together = [[]] }) =>
        paths.flatMap(({ administers }) =>
          administers ? together.map((also) => [name, ...also.map(giverWords)].join(' + ')) : [],
        ),
    );
  const group = 'alias g ci g\n method ci\n role a all groupsClaim: groups';
  const limited = 'path "sys/policies/acl/*" { capabilities = ["update"] required_parameters = ["x"] }';
  const few = (rule: string) => `policy few: ${rule}\n ~ role r few → few,sets`;

  test.each<[what: string, change: string, ...found: string[]]>([
    ['not for who could write everything, and now has narrower rules', '~ role r all → tidy'],
    ['not for who could write policies', '~ role r writes → writes,sets'],
    ['not for who had it by the text of a policy', `role r p\n ~ policy p: ${everything} → ${tidy}`],
    ['for who changed passwords alone', few('auth/userpass/users/+/password update'), 'r'],
    ['for who made secret ids alone', few('auth/approle/role/ci/secret-id update'), 'r'],
    ['for who only read policies', few('sys/policies/acl/* read,list'), 'r'],
    ['for who only deleted policies', few('sys/policies/acl/* delete'), 'r'],
    ['for who was denied it', few('sys/policies/acl/* deny'), 'r'],
    ['for who could write policies within a limit', few(limited), 'r'],
    [
      'by a group, with the one of its roles that did not administer',
      `${group}\n role b - groupsClaim: groups\n ~ group g - → tidy`,
      ...Array(2).fill('g + role ci/b'),
    ],
    ['not by a group of which every role administered', `${group}\n ~ group g - → tidy,writes,sets`],
    [
      'by a policy that only administrators have here, and others may have elsewhere',
      `role r all,p\n ~ policy p: x read → ${writes}`,
      'p',
    ],
    ['by a policy that no one here has', `~ policy p: x read → ${writes}`, 'p'],
  ])('%s', (_, text, ...wanted) => {
    expect(newlyAt(text)).toEqual(wanted);
  });
});

test.each([
  ['n1/sys/policies/acl/*', true],
  ['+/sys/auth/x', true],
  ['n1/sys/*', true],
  ['n1/sys/mounts/*', false],
  ['n1/sys/policies/password/x', false],
  ['secret/data/system/auth', false],
])('in a namespace below, writing at %s: %j', (path, isOne) => {
  expect(isAdministration(path, 'update')).toBe(isOne);
});

test.each([
  ['sys/policies/acl/a/b/c/d/e', 'update'],
  ['auth/ldap/users/a/b/c', 'update'],
  ['identity/group/name/a/b', 'update'],
  ['auth/a/b/c/cel/role/x', 'patch'],
  ['auth/aws/config/certificate/x', 'create'],
  ['auth/aws/config/sts/x', 'create'],
  ['sys/config/group-policy-application', 'update'],
  ['sys/mfa/method/totp/x', 'create'],
  ['sys/workflows/manage/a/b', 'update'],
  ['sys/workflows/execute/a/b', 'update'],
])('administration is at %s', (path, capability) => {
  expect(isAdministration(path, capability)).toBe(true);
});

test('a workflow is executed by an update alone', () => {
  expect(isAdministration('sys/workflows/execute/x', 'create', 'delete')).toBe(false);
});
