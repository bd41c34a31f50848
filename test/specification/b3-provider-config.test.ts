import { describe, expect, test } from '@jest/globals';
import { providerConfig, providerConfigToWire } from '../../core/model/resources/provider-config.ts';
import { parsedProvider } from '../core/model/environment-fixture.ts';

const suite = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/etc/key.json',
  suiteAdminImpersonate: 'admin@example.com',
};
const parsed = (more: Record<string, unknown> = {}) => providerConfig.parse({ ...suite, ...more });
const onTheWire = (more: Record<string, unknown> = {}) => providerConfigToWire(parsed(more), 'neutral');
const refused = (given: Record<string, unknown>) =>
  providerConfig.safeParse(given).error?.issues.map(({ path }) => path.join('.'));
const without = (field: string) =>
  Object.fromEntries(Object.entries(suite).filter(([name]) => name !== field));

describe('B3. provider_config', () => {
  test.each(['workspace_suite', 'cloud_directory'])(
    'B3 provider: string, required, may be %s',
    (provider) => {
      expect(providerConfig.parse({ ...(provider === suite.provider ? suite : {}), provider }).provider).toBe(
        provider,
      );
    },
  );

  test('B3 provider: string, required, and may be nothing else', () => {
    expect(refused(without('provider'))).toEqual(['provider']);
    expect(refused({ ...suite, provider: 'ldap' })).toEqual(['provider']);
  });

  test('B3 suite_service_account: string, required, a path on the service’s host', () => {
    expect(refused(without('suiteServiceAccount'))).toEqual(['suiteServiceAccount']);
    expect(onTheWire()['suite_service_account']).toBe('/etc/key.json');
  });

  test('B3 suite_service_account: or the contents of the key file, properly escaped', () => {
    const key = JSON.stringify({ private_key: 'line one\nline "two"' });
    expect(JSON.parse(onTheWire({ suiteServiceAccount: key })['suite_service_account']!)).toEqual({
      private_key: 'line one\nline "two"',
    });
  });

  test('B3 suite_admin_impersonate: string, required, an email address', () => {
    expect(refused(without('suiteAdminImpersonate'))).toEqual(['suiteAdminImpersonate']);
    expect(refused({ ...suite, suiteAdminImpersonate: 'admin' })).toEqual(['suiteAdminImpersonate']);
    expect(onTheWire()['suite_admin_impersonate']).toBe('admin@example.com');
  });

  test('B3 fetch_groups: bool, default false', () => {
    expect(parsed()).toMatchObject({ fetchGroups: false });
    expect(onTheWire()).not.toHaveProperty('fetch_groups');
    expect(onTheWire({ fetchGroups: true })['fetch_groups']).toBe('true');
    expect(refused({ ...suite, fetchGroups: 'yes' })).toEqual(['fetchGroups']);
  });

  test('B3 fetch_user_info: bool, default false', () => {
    expect(parsed()).toMatchObject({ fetchUserInfo: false });
    expect(onTheWire()).not.toHaveProperty('fetch_user_info');
    expect(onTheWire({ fetchUserInfo: true, userCustomSchemas: ['a'] })['fetch_user_info']).toBe('true');
    expect(refused({ ...suite, fetchUserInfo: 'yes' })).toEqual(['fetchUserInfo']);
  });

  test('B3 groups_recurse_max_depth: int, default 0', () => {
    expect(parsed()).toMatchObject({ groupsRecurseMaxDepth: 0 });
    expect(onTheWire()).not.toHaveProperty('groups_recurse_max_depth');
    expect(onTheWire({ groupsRecurseMaxDepth: 2 })['groups_recurse_max_depth']).toBe('2');
    expect(refused({ ...suite, groupsRecurseMaxDepth: 1.5 })).toEqual(['groupsRecurseMaxDepth']);
  });

  test('B3 user_custom_schemas: string, comma-separated', () => {
    expect(onTheWire({ userCustomSchemas: ['Education', 'Work'] })['user_custom_schemas']).toBe(
      'Education,Work',
    );
  });

  test('B3 user_custom_schemas: required if fetch_user_info is true', () => {
    expect(refused({ ...suite, fetchUserInfo: true })).toEqual(['userCustomSchemas']);
    expect(refused({ ...suite, fetchUserInfo: true, userCustomSchemas: [] })).toEqual(['userCustomSchemas']);
  });

  test('B3 user_custom_schemas: their values are usable with claim_mappings', () => {
    const directory = {
      serviceAccountFile: '/etc/key.json',
      adminImpersonate: 'admin@example.com',
      fetchUserInfo: true,
      userCustomSchemas: ['Education'],
    };
    const roles = [{ name: 'reader', claimMappings: { '/Education/degree': 'degree' } }];
    const provider = parsedProvider('workspace_suite', { directory, roles });
    expect(provider.roles[0]?.claimMappings).toEqual({ '/Education/degree': 'degree' });
  });
});
