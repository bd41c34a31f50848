import { describe, expect, test } from '@jest/globals';
import { administers } from '../../src/access/administration.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Graph } from '../../src/graph/graph.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import { change, method, now, policy, role } from '../review/graphs.ts';

const allow = (path: string, ...capabilities: string[]) => policy('p', [path, ...capabilities]);

/** Whether a role that comes to have the policy administers by it. */
const isAdministration = (path: string, ...capabilities: string[]) => {
  const policies = [allow(path, ...capabilities)];
  const { changes } = decideAccess(
    change(
      { roles: [role('r', { policies: [] })], policies },
      { roles: [role('r', { policies: ['p'] })], policies },
    ),
    now,
  );
  return changes.some(({ paths }) => paths.some(({ administers }) => administers !== undefined));
};

test.each([
  ...[
    'sys/policies/acl/admin',
    'sys/policies/acl/prod-*',
    'sys/policies/egp/x',
    'sys/policies/rgp/x',
    'sys/policy/x',
  ],
  ...['sys/auth/new', 'sys/auth/deep/er/mount', 'sys/auth/ci/tune', 'sys/mounts/auth/ci/tune'],
  ...['auth/ci/config', 'auth/aws/config/client', 'auth/two/mounts/config', 'auth/deep/er/mount/role/x'],
  ...['auth/token/roles/x', 'auth/ldap/groups/x', 'auth/cert/certs/x', 'auth/okta/map/teams/x'],
  ...['auth/approle/role/ci/secret-id', 'auth/approle/role/+/custom-secret-id', 'auth/userpass/users/bob'],
  ...['auth/userpass/users/bob/password', 'auth/token/create/x', 'auth/token/create-orphan'],
  ...['identity/group', 'identity/group/id/x', 'identity/group/name/x', 'identity/group-alias'],
  ...['identity/group-alias/id/x', 'identity/entity', 'identity/entity/id/x', 'identity/entity/name/x'],
  ...['identity/entity/merge', 'identity/entity-alias', 'identity/entity-alias/id/x', 'identity/alias'],
  ...['identity/alias/id/x', 'identity/persona', 'identity/persona/id/x', 'identity/mfa/login-enforcement/x'],
  ...['sys/raw/core/x', 'sys/remount', 'sys/namespaces/team', 'sys/plugins/catalog/auth/x', 'sys/audit/file'],
  ...['sys/storage/raft/snapshot', 'sys/storage/raft/snapshot-force'],
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
  ...['secret/data/x', 'sys/mounts/kv', 'sys/seal', 'sys/rotate', 'auth/ci/login', 'identity/lookup/entity'],
])('writing is not administration at %s', (path) => {
  expect(isAdministration(path, 'update')).toBe(false);
});

describe('who newly gets into a group of administrators', () => {
  const aliases = [{ name: 'a', method: 'ci', group: 'admins' }];
  const groups = [{ name: 'admins', policies: ['p'] }];
  const policies = [allow('sys/policies/acl/*', 'update')];
  const aside = {
    groups,
    aliases,
    policies,
    methods: [method('ci', { oidcDiscoveryUrl: 'https://a.example' })],
  };
  const reading = (fields: Partial<Role> = {}) =>
    role('r', { groupsClaim: 'groups', policies: [], ...fields });
  const found = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ ...aside, ...before }, { ...aside, ...after }), now).changes.flatMap(
      ({ kind, administersBy = [] }) => administersBy.map(({ group, path }) => `${kind} ${group} ${path}`),
    );
  const path = 'admins sys/policies/acl/x';

  test('by a role that lets in others', () => {
    const before = { roles: [reading({ boundSubject: 'a' })] };
    expect(found(before, { roles: [reading()] })).toEqual([`widened ${path}`]);
  });

  test('by a role that is new', () => {
    expect(found({ roles: [] }, { roles: [reading()] })).toEqual([`opened ${path}`]);
  });

  test('by another claim, though the same people get in', () => {
    const bound = { boundClaims: { groups: ['x'], teams: ['x'] } };
    const after = { roles: [reading({ ...bound, groupsClaim: 'teams' })] };
    expect(found({ roles: [reading(bound)] }, after)).toContain(`changed ${path}`);
  });

  test('by another source of keys', () => {
    const methods = [method('ci', { oidcDiscoveryUrl: 'https://b.example' })];
    expect(found({ roles: [reading()] }, { roles: [reading()], methods })).toEqual([`opened ${path}`]);
  });

  test('by another source of keys of a method whose roles are not here', () => {
    const methods = [method('ci', { oidcDiscoveryUrl: 'https://b.example' })];
    expect(found({}, { methods })).toEqual([`opened ${path}`]);
  });

  test('but not where the role itself denies it', () => {
    const deny = policy('no', ['sys/policies/acl/*', 'deny']);
    const shared = { policies: [...policies, deny] };
    const roles = (fields: Partial<Role>) => ({
      ...shared,
      roles: [reading({ policies: ['no'], ...fields })],
    });
    expect(found(roles({ boundSubject: 'a' }), roles({}))).toEqual([]);
  });

  test('but not by a role that reads no groups', () => {
    const before = { roles: [role('r', { boundSubject: 'a', policies: [] })] };
    expect(found(before, { roles: [role('r', { policies: [] })] })).toEqual([]);
  });

  const widened = (given: Partial<Graph> = {}, policies: string[] = []) =>
    found(
      {
        ...given,
        roles: [
          reading({ policies, boundSubject: 'a' }),
          reading({ name: 's', policies, boundSubject: 'a' }),
        ],
      },
      { ...given, roles: [reading({ policies }), reading({ name: 's', policies })] },
    );

  test('is told once a group, for each role', () => {
    const all = {
      groups: [...groups, { name: 'more', policies: ['p', 'other'] }],
      aliases: [...aliases, { name: 'b', method: 'ci', group: 'more' }],
    };
    const further = [`widened more sys/policies/acl/x`];
    expect(widened(all)).toEqual([`widened ${path}`, ...further, `widened ${path}`, ...further]);
  });

  test('but not where the role administers by itself, only lists, or makes tokens', () => {
    expect(widened({}, ['p'])).toEqual([]);
    expect(widened({ policies: [allow('sys/policies/acl/*', 'list', 'read')] })).toEqual([]);
    expect(widened({ policies: [allow('auth/token/create', 'update')] })).toEqual([]);
  });

  test('by what the policies of both come to together', () => {
    const added = [
      policy('q', ['sys/policies/acl/*', 'deny']),
      policy('q2', ['sys/policies/acl/a', 'update']),
    ];
    expect(widened({ policies: [...policies, ...added] }, ['q'])).toEqual([]);
    const hole = ['widened admins sys/policies/acl/a', 'widened admins sys/policies/acl/a'];
    expect(
      widened({ groups: [{ name: 'admins', policies: ['p', 'q2'] }], policies: [...policies, ...added] }, [
        'q',
      ]),
    ).toEqual(hole);
  });

  test('is not known where there is too much to compare', () => {
    const templates = Array.from({ length: 30 }, (_, at): [string, string] => [
      `sys/policies/acl/{{t${at}}}`,
      'update',
    ]);
    const words = Array.from({ length: 12 }, (_, at): [string, string] => [
      `sys/policies/acl/w${at}`,
      'update',
    ]);
    const all = { ...aside, policies: [policy('p', ...templates, ...words)] };
    const { uncertain } = decideAccess(
      change({ ...all, roles: [reading({ boundSubject: 'a' })] }, { ...all, roles: [reading()] }),
      now,
    );
    expect(uncertain).toEqual(['every path: there are more ways to fill in templates than can be compared']);
  });
});

describe('administration is new', () => {
  const everything = policy('all', ['*', 'create', 'read', 'update', 'delete', 'list', 'sudo']);
  const tidy = policy(
    'tidy',
    ['sys/policies/acl/*', 'create', 'update', 'patch', 'delete'],
    ['auth/*', 'create', 'update', 'patch', 'delete', 'sudo'],
  );
  const writes = policy('writes', ['sys/policies/acl/*', 'create', 'update']);
  const sets = policy('sets', ['auth/+/role/+', 'create', 'update']);
  const policies = [everything, tidy, writes, sets];
  const newlyAt = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ policies, ...before }, { policies, ...after }), now).changes.flatMap(
      ({ principals: { name }, paths }) =>
        paths.flatMap(({ administers, together = [] }) =>
          administers ? [[name, ...together].join(' + ')] : [],
        ),
    );
  const ofRole = (...held: string[]) => ({ roles: [role('r', { policies: held })] });

  test('not for who could write everything, and now has narrower rules', () => {
    expect(newlyAt(ofRole('all'), ofRole('tidy'))).toEqual([]);
  });

  test('not for who could write policies', () => {
    expect(newlyAt(ofRole('writes'), ofRole('writes', 'sets'))).toEqual([]);
  });

  test('not for who had it by the text of a policy', () => {
    const old = { ...tidy, text: everything.text };
    expect(newlyAt({ ...ofRole('tidy'), policies: [old] }, { ...ofRole('tidy'), policies: [tidy] })).toEqual(
      [],
    );
  });

  test.each([
    ['changed passwords alone', ['auth/userpass/users/+/password', 'update']],
    ['made secret ids alone', ['auth/approle/role/ci/secret-id', 'update']],
    ['only read policies', ['sys/policies/acl/*', 'read', 'list']],
    ['only deleted policies', ['sys/policies/acl/*', 'delete']],
    ['was denied it', ['sys/policies/acl/*', 'deny']],
  ] satisfies [string, [string, ...string[]]][])('for who %s', (_, rule) => {
    const before = { ...ofRole('few'), policies: [...policies, policy('few', rule)] };
    const after = { ...before, ...ofRole('few', 'sets') };
    expect(newlyAt(before, after)).toEqual(['r']);
  });

  test('for who could write policies within a limit', () => {
    const limited = {
      name: 'limited',
      text: 'path "sys/policies/acl/*" { capabilities = ["update"] required_parameters = ["x"] }',
    };
    const before = { ...ofRole('limited'), policies: [...policies, limited] };
    expect(newlyAt(before, { ...before, ...ofRole('limited', 'sets') })).toEqual(['r']);
  });

  test('by a group, with the one of its roles that did not administer', () => {
    const graph = (held: string[]): Partial<Graph> => ({
      roles: [
        role('a', { groupsClaim: 'groups', policies: ['all'] }),
        role('b', { groupsClaim: 'groups', policies: [] }),
      ],
      groups: [{ name: 'g', policies: held }],
      aliases: [{ name: 'g', method: 'ci', group: 'g' }],
      methods: [method('ci', {})],
    });
    expect(newlyAt(graph([]), graph(['tidy']))).toEqual([
      'g + role "b" of auth/ci',
      'g + role "b" of auth/ci',
    ]);
  });

  test('not by a group of which every role administered', () => {
    const graph = (held: string[]): Partial<Graph> => ({
      roles: [role('a', { groupsClaim: 'groups', policies: ['all'] })],
      groups: [{ name: 'g', policies: held }],
      aliases: [{ name: 'g', method: 'ci', group: 'g' }],
      methods: [method('ci', {})],
    });
    expect(newlyAt(graph([]), graph(['tidy', 'writes', 'sets']))).toEqual([]);
  });

  test('by a policy that only administrators have here, and others may have elsewhere', () => {
    const roles = [role('r', { policies: ['all', 'p'] })];
    const before = { roles, policies: [...policies, policy('p', ['x', 'read'])] };
    expect(newlyAt(before, { roles, policies: [...policies, { ...writes, name: 'p' }] })).toEqual(['p']);
  });

  test('by a policy that no one here has', () => {
    expect(
      newlyAt({ policies: [policy('p', ['x', 'read'])] }, { policies: [{ ...writes, name: 'p' }] }),
    ).toEqual(['p']);
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
