import { expect, test } from '@jest/globals';
import { providerConfig } from '../../packages/core/src/graph/resources/provider-config.ts';

const suite = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/etc/key.json',
  suiteAdminImpersonate: 'admin@example.com',
};
const schemas = { fetchUserInfo: true, userCustomSchemas: [] };

test.each<[field: string, given: Record<string, unknown>]>([
  ['provider', { provider: undefined }],
  ['provider', { provider: 'ldap' }],
  ['suiteServiceAccount', { suiteServiceAccount: undefined }],
  ['suiteAdminImpersonate', { suiteAdminImpersonate: undefined }],
  ['suiteAdminImpersonate', { suiteAdminImpersonate: 'admin' }],
  ['fetchGroups', { fetchGroups: 'yes' }],
  ['fetchUserInfo', { fetchUserInfo: 'yes' }],
  ['groupsRecurseMaxDepth', { groupsRecurseMaxDepth: 1.5 }],
  ['userCustomSchemas', { fetchUserInfo: true }],
  ['userCustomSchemas', schemas],
])('B3 %s: %j is refused', (field, given) => {
  const { error } = providerConfig.safeParse({ ...suite, ...given });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});
