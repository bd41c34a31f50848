import { expect, test } from '@jest/globals';
import { groupSources, keySources, redirectPlaces } from '../../../../core/access/sign-in/trust.ts';

test('keys, places and groups of a sign-in are those that count for it', () => {
  const role = { method: 'm', name: 'r', roleType: 'oidc', userClaim: 'sub' } as const;
  expect(keySources(role, { jwksUrl: 'https://id.example/keys' })).toEqual([]);
  const suite = {
    provider: 'workspace_suite',
    suiteServiceAccount: '/k',
    suiteAdminImpersonate: 'a@b.example',
  } as const;
  const fetching = { fetchGroups: false, fetchUserInfo: false, groupsRecurseMaxDepth: 0 };
  expect(groupSources({ ...suite, ...fetching })).toEqual([]);
  const uris = ['https://a.example:444/cb', 'http://[::1]:8250/cb', 'nonsense'];
  const ids = ['https://a.example:444/cb', 'http://[::1]/cb', 'nonsense'];
  expect(redirectPlaces(uris).map(({ id }) => id)).toEqual(ids);
});
