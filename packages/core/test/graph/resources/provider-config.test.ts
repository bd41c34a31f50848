import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ProviderConfig,
  providerConfig,
  providerConfigFromWire,
  providerConfigToWire,
} from '../../../src/graph/resources/provider-config.ts';
import { Dialect } from '../../../src/graph/values/wire.ts';

const suite = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/etc/key.json',
  suiteAdminImpersonate: 'admin@example.com',
};
const complete = {
  ...suite,
  fetchGroups: true,
  fetchUserInfo: true,
  groupsRecurseMaxDepth: 3,
  userCustomSchemas: ['Education', 'Preferences'],
};

const required = ['provider', 'suiteServiceAccount', 'suiteAdminImpersonate'] as const;
const dialect = fc.constantFrom(...Object.values(Dialect));
const schemas = fc.array(fc.stringMatching(/^[A-Za-z]\w{0,8}$/), { minLength: 1, maxLength: 3 });
const config: fc.Arbitrary<ProviderConfig> = fc.oneof(
  fc.constant({ provider: 'cloud_directory' as const }),
  fc.record(
    {
      provider: fc.constant('workspace_suite' as const),
      suiteServiceAccount: fc.string({ minLength: 1 }),
      suiteAdminImpersonate: fc.constant('admin@example.com'),
      fetchGroups: fc.boolean(),
      fetchUserInfo: fc.boolean(),
      groupsRecurseMaxDepth: fc.nat(10),
      userCustomSchemas: schemas,
    },
    { requiredKeys: [...required, 'fetchGroups', 'fetchUserInfo', 'groupsRecurseMaxDepth'] },
  ),
);

describe('providerConfigToWire', () => {
  test('writes what providerConfigFromWire reads as the same, in both dialects', () => {
    fc.assert(
      fc.property(config, dialect, (given, words) => {
        expect(providerConfigFromWire(providerConfigToWire(given, words))).toEqual(given);
      }),
    );
  });

  test('leaves out what is the default', () => {
    expect(providerConfigToWire(providerConfig.parse(suite), 'vault')).toEqual({
      provider: 'gsuite',
      gsuite_service_account: '/etc/key.json',
      gsuite_admin_impersonate: 'admin@example.com',
    });
  });

  test('writes everything as text, in the neutral dialect', () => {
    expect(providerConfigToWire(providerConfig.parse(complete), 'neutral')).toEqual({
      provider: 'workspace_suite',
      suite_service_account: '/etc/key.json',
      suite_admin_impersonate: 'admin@example.com',
      fetch_groups: 'true',
      fetch_user_info: 'true',
      groups_recurse_max_depth: '3',
      user_custom_schemas: 'Education,Preferences',
    });
  });

  test.each([
    ['neutral', 'cloud_directory'],
    ['vault', 'azure'],
  ] as const)('names the cloud directory in the %s dialect %s', (words, name) => {
    expect(providerConfigToWire({ provider: 'cloud_directory' }, words)).toEqual({ provider: name });
  });
});

describe('providerConfigFromWire', () => {
  test('reads booleans and numbers as such, as well as their texts', () => {
    const wire = {
      provider: 'gsuite',
      gsuite_service_account: '/etc/key.json',
      gsuite_admin_impersonate: 'admin@example.com',
      fetch_groups: true,
      fetch_user_info: true,
      groups_recurse_max_depth: 3,
      user_custom_schemas: 'Education, Preferences',
    };
    expect(providerConfigFromWire(wire)).toEqual(complete);
  });

  test('reads what the service never returns as empty', () => {
    const wire = { provider: 'gsuite', gsuite_admin_impersonate: 'admin@example.com' };
    expect(providerConfigFromWire(wire)).toMatchObject({ suiteServiceAccount: '' });
  });

  test('reads a provider that is not set up here as undefined', () => {
    expect(providerConfigFromWire({ provider: 'ibmisam' })).toBeUndefined();
  });
});

describe('providerConfig', () => {
  test('leaves what it has read as it is', () => {
    expect(providerConfig.parse(providerConfig.parse(complete))).toEqual(complete);
  });

  test.each<[field: string, given: Record<string, unknown>]>([
    ...required.map((field): [string, Record<string, unknown>] => [field, { [field]: undefined }]),
    ['provider', { provider: 'ldap' }],
    ['suiteAdminImpersonate', { suiteAdminImpersonate: 'admin' }],
    ['fetchGroups', { fetchGroups: 'yes' }],
    ['fetchUserInfo', { fetchUserInfo: 'yes' }],
    ['groupsRecurseMaxDepth', { groupsRecurseMaxDepth: 1.5 }],
    ['userCustomSchemas', { fetchUserInfo: true }],
    ['userCustomSchemas', { fetchUserInfo: true, userCustomSchemas: [] }],
  ])('is refused for its %s: %j', (field, given) => {
    const { error } = providerConfig.safeParse({ ...suite, ...given });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});
