import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../core/access/questions/change.ts';
import type { Graph } from '../../../core/model/graph.ts';
import type { Role } from '../../../core/model/resources/role.ts';
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

describe('writing is administration at', () => {
  test.each([
    ['sys/policies/acl/admin'],
    ['sys/policies/acl/prod-*'],
    ['sys/policy/x'],
    ['sys/auth/new'],
    ['sys/auth/deep/er/mount'],
    ['sys/auth/ci/tune'],
    ['sys/mounts/auth/ci/tune'],
    ['auth/ci/config'],
    ['auth/deep/er/mount/role/x'],
    ['auth/aws/config/client'],
    ['auth/approle/role/ci/secret-id'],
    ['auth/approle/role/+/custom-secret-id'],
    ['auth/token/roles/x'],
    ['auth/token/create/x'],
    ['auth/token/create-orphan'],
    ['auth/userpass/users/bob/password'],
    ['identity/entity'],
    ['identity/group/id/x'],
    ['identity/entity-alias/id/x'],
    ['identity/persona'],
    ['identity/mfa/login-enforcement/x'],
    ['sys/raw/core/x'],
    ['sys/remount'],
    ['sys/namespaces/team'],
    ['sys/plugins/catalog/auth/x'],
    ['sys/audit/file'],
    ['sys/storage/raft/snapshot-force'],
  ])('%s', (path) => {
    expect(isAdministration(path, 'update')).toBe(true);
    expect(isAdministration(path, 'read')).toBe(false);
  });
});

test('making tokens is administration only with sudo, which gives them more than the maker has', () => {
  expect(isAdministration('auth/token/create', 'create', 'update')).toBe(false);
  expect(isAdministration('auth/token/create', 'update', 'sudo')).toBe(true);
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
  const aliases = [{ name: 'a', method: 'ci', group: 'admins' }];
  const groups = [{ name: 'admins', policies: ['p'] }];
  const policies = [allow('sys/policies/acl/*', 'update')];
  const beside = {
    groups,
    aliases,
    policies,
    methods: [method('ci', { oidcDiscoveryUrl: 'https://a.example' })],
  };
  const reading = (fields: Partial<Role> = {}) =>
    role('r', { groupsClaim: 'groups', policies: [], ...fields });
  const found = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ ...beside, ...before }, { ...beside, ...after }), now).changes.flatMap(
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
    const more = { policies: [...policies, deny] };
    const roles = (fields: Partial<Role>) => ({ ...more, roles: [reading({ policies: ['no'], ...fields })] });
    expect(found(roles({ boundSubject: 'a' }), roles({}))).toEqual([]);
  });

  test('but not by a role that reads no groups', () => {
    const before = { roles: [role('r', { boundSubject: 'a', policies: [] })] };
    expect(found(before, { roles: [role('r', { policies: [] })] })).toEqual([]);
  });
});
