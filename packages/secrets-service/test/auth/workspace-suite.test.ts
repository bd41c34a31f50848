import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startWorkspaceSuiteDouble, suiteAdmin } from '../../../../test/harness/doubles/workspace-suite.ts';
import { startedForEach } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { identify } from '../../../core/src/login/identify.ts';
import type { LoginRole } from '../../../core/src/login/login-role.ts';
import { workspaceSuite } from '../../src/auth/workspace-suite.ts';
import type { Json } from '../../src/storage/storage.ts';

// openbao/openbao builtin/credential/jwt/provider_gsuite.go and its test; docs/inside/specification.md B3 and B-3.
const role: LoginRole = { name: 'r', roleType: 'oidc', userClaim: 'email', groupsClaim: 'groups' };
const alice = { sub: '1', email: 'alice@example.com', groups: ['from-the-token'] };
const suite = startedForEach(startWorkspaceSuiteDouble);
beforeEach(async () => {
  suite().groups = {
    'alice@example.com': ['one@example.com', 'uno@example.org'],
    'one@example.com': ['two@example.com'],
    'uno@example.org': [],
    'two@example.com': ['three@example.com', 'one@example.com'],
    'three@example.com': [],
  };
  suite().attributes = {
    'alice@example.com': { Preferences: { shirt_size: 'medium' }, Work: { team: 'a' } },
  };
});

const directory = (given: Record<string, Json> = {}) =>
  workspaceSuite({
    config: {
      provider: 'workspace_suite',
      suite_service_account: JSON.stringify(suite().keyFile),
      suite_admin_impersonate: suiteAdmin,
      ...given,
    },
    addresses: { workspaceSuite: suite().address, workspaceSuiteTokens: suite().tokens },
    now: BigInt(Date.now()) * 1_000_000n,
  });
const signIn = (given: Record<string, Json>, asked = role, claims: object = alice) =>
  identify(asked, { ...claims }, directory(given));
const groupsOf = async (given: Record<string, Json> = {}) =>
  (await signIn({ fetch_groups: true, ...given })).groups;

describe('groups of the workspace suite', () => {
  test.each([
    [0, ['one@example.com', 'uno@example.org']],
    [1, ['one@example.com', 'uno@example.org', 'two@example.com']],
    ['2', ['one@example.com', 'uno@example.org', 'two@example.com', 'three@example.com']],
    [10, ['one@example.com', 'uno@example.org', 'two@example.com', 'three@example.com']],
  ])('are followed to depth %j, each once', async (groups_recurse_max_depth, groups) => {
    expect(await groupsOf({ groups_recurse_max_depth })).toEqual(groups);
    expect(new Set(suite().requests).size).toBe(suite().requests.length);
  });

  test('are found at their least depth, whichever way leads there first', async () => {
    suite().groups = {
      'alice@example.com': ['deep', 'near'],
      deep: ['mid'],
      mid: ['near'],
      near: ['end'],
      end: [],
    };
    expect(await groupsOf({ groups_recurse_max_depth: 1 })).toEqual(['deep', 'near', 'mid', 'end']);
  });

  test('are read to the last page', async () => {
    suite().groups['alice@example.com'] = Array.from({ length: 25 }, (_, index) => `g${index}@example.com`);
    suite().pageSize = 10;
    expect(await groupsOf()).toHaveLength(25);
    expect(suite().requests).toHaveLength(3);
  });

  test('are those of one domain where one is set', async () => {
    expect(await groupsOf({ domain: 'example.org' })).toEqual(['uno@example.org']);
  });

  test('are none for someone in no groups', async () => {
    suite().groups['alice@example.com'] = [];
    expect(await groupsOf()).toEqual([]);
  });

  test('take the place of those of the token, also for bound_claims', async () => {
    const bound = { ...role, boundClaims: { groups: 'from-the-token' } };
    await expect(signIn({ fetch_groups: true }, bound)).rejects.toMatchObject({ step: 'bound_claims' });
  });

  test('have no substitute in the token where they are not fetched', async () => {
    await expect(signIn({})).rejects.toThrow('failed to fetch groups: "groups" claim not found in token');
    expect(suite().asked).toEqual([]);
  });

  test('are not asked for by a role without a groups claim', async () => {
    expect((await signIn({ fetch_groups: true }, { ...role, groupsClaim: '' })).groups).toEqual([]);
    expect(suite().requests).toEqual([]);
  });

  test('take 500 requests at most', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `g${index}`);
    suite().groups = { 'alice@example.com': many, ...Object.fromEntries(many.map((name) => [name, []])) };
    suite().pageSize = 1_000;
    await expect(groupsOf({ groups_recurse_max_depth: 1 })).rejects.toThrow(
      'this takes more than 500 requests',
    );
    expect(suite().requests).toHaveLength(500);
  });
});

describe('custom attributes of the workspace suite', () => {
  const info = { fetch_user_info: 'true', user_custom_schemas: 'Preferences,Work' };
  const mapped = { ...role, groupsClaim: '', claimMappings: { '/Preferences/shirt_size': 'size' } };

  test('are claims that can be mapped and bound', async () => {
    const { metadata } = await signIn(info, { ...mapped, boundClaims: { '/Work/team': 'a' } });
    expect(metadata).toEqual({ role: 'r', size: 'medium' });
  });

  test('are those of the schemas that are named', async () => {
    const { metadata } = await signIn({ ...info, user_custom_schemas: 'Work' }, mapped);
    expect(metadata).toEqual({ role: 'r' });
  });

  test('do not change who signs in', async () => {
    suite().attributes['alice@example.com'] = { email: { of: 'someone else' } };
    expect((await signIn({ ...info, user_custom_schemas: 'email' }, mapped)).name).toBe('alice@example.com');
  });

  test.each([
    ['are not asked for where the config does not say so', { user_custom_schemas: 'Work' }],
    ['are not asked for where no schema is named', { fetch_user_info: true }],
  ])('%s', async (_, given) => {
    await signIn(given, mapped);
    expect(suite().requests).toEqual([]);
  });

  test('are none for someone without any', async () => {
    suite().attributes['alice@example.com'] = {};
    expect((await signIn(info, mapped)).metadata).toEqual({ role: 'r' });
  });

  test('refuse the sign-in when they cannot be had', async () => {
    await expect(signIn(info, mapped, { email: 'stranger@example.com' })).rejects.toMatchObject({
      step: 'claim_mappings',
      message: 'failed to fetch user info: the workspace suite answers 404',
    });
  });
});

describe('the service account', () => {
  test('asks for exactly the two read-only scopes, once a sign-in', async () => {
    await signIn({
      fetch_groups: true,
      fetch_user_info: true,
      user_custom_schemas: 'Work',
      groups_recurse_max_depth: 3,
    });
    expect(suite().asked).toEqual([
      'https://www.googleapis.com/auth/admin.directory.group.readonly https://www.googleapis.com/auth/admin.directory.user.readonly',
    ]);
  });

  test('has its key in a file', async () => {
    const folder = temporaryFolder({ 'key.json': JSON.stringify(suite().keyFile) });
    expect(await groupsOf({ suite_service_account: join(folder, 'key.json') })).toHaveLength(2);
  });

  test('has its key under the name of the other dialect, too', async () => {
    const given = {
      suite_service_account: '',
      suite_admin_impersonate: '',
      gsuite_service_account: JSON.stringify(suite().keyFile),
      gsuite_admin_impersonate: suiteAdmin,
    };
    expect(await groupsOf(given)).toHaveLength(2);
  });

  const unauthorized = '401 (unauthorized_client)';
  const otherKey = () => {
    suite().keyFile['private_key_id'] = 'key-2';
  };
  test.each([
    ['without the delegation of a scope', () => suite().delegated.pop(), {}, unauthorized],
    ['on behalf of no administrator', () => {}, { suite_admin_impersonate: 'bob@example.com' }, unauthorized],
    ['on behalf of itself', () => {}, { suite_admin_impersonate: '' }, unauthorized],
    ['with a key that is not its own', otherKey, {}, '400 (invalid_grant)'],
  ])('%s gets no token', async (_, arrange, given, reason) => {
    arrange();
    await expect(groupsOf(given)).rejects.toMatchObject({
      step: 'groups',
      message: `failed to fetch groups: the workspace suite refused the service account a token: ${reason}`,
    });
  });

  test.each([
    '/nowhere/key.json',
    '{"type":"service_account"}',
    '{"client_email":"a","private_key":"hunter2"}',
    '[]',
  ])('has no key in %j, in words that do not repeat it', async (suite_service_account) => {
    await expect(groupsOf({ suite_service_account })).rejects.toThrow(
      /^failed to fetch groups: the service account key is not usable$/,
    );
  });
});

describe('a directory that does not answer as it should', () => {
  const noJson = 'the workspace suite did not return JSON';
  const invalid = 'the workspace suite returned an invalid list of groups';
  test.each([
    [500, 'no', 'the workspace suite answers 500'],
    [200, '<html>', noJson],
    [200, 'null', noJson],
    [200, '{"groups":[{"name":"x"}]}', invalid],
    [200, '{"groups":"x"}', invalid],
    [200, '{"nextPageToken":7}', invalid],
    [200, '{"nextPageToken":"again"}', 'this takes more than 500 requests'],
  ])('refuses the sign-in: %i %s', async (status, body, reason) => {
    suite().instead = { status, body };
    await expect(groupsOf()).rejects.toThrow(`failed to fetch groups: ${reason}`);
  });
});

test.each([
  [{ ...alice, email: undefined }, 'claim "email" not found in token', 'user_claim'],
  [{ ...alice, email: 7 }, 'claim "email" could not be converted to string', 'user_claim'],
])('nobody is asked about a token without the user claim: %j', async (claims, message, step) => {
  await expect(signIn({ fetch_groups: true }, role, claims)).rejects.toMatchObject({ step, message });
  expect(suite().asked).toEqual([]);
});
