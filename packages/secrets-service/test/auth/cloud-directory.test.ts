import { beforeEach, describe, expect, test } from '@jest/globals';
import { startCloudDirectoryDouble } from '../../../../test/harness/doubles/cloud-directory.ts';
import { startedForEach } from '../../../../test/harness/started.ts';
import { identify } from '../../../core/src/login/identify.ts';
import { cloudDirectory } from '../../src/auth/cloud-directory.ts';

// openbao/openbao builtin/credential/jwt/provider_azure.go; docs/inside/specification.md B-2, "Users in more than 200
// groups".
const role = { name: 'r', roleType: 'oidc', userClaim: 'sub', groupsClaim: 'groups' } as const;
const double = startedForEach(startCloudDirectoryDouble);
beforeEach(async () => {
  double().groups = ['a', 'b'];
});

const elsewhere = (endpoint: unknown) => ({
  sub: 'alice',
  _claim_names: { groups: 'src1' },
  _claim_sources: { src1: { endpoint } },
});
const atDouble = () => elsewhere(`${double().address}/users/alice/getMemberObjects`);
const directory = (given: object = {}) =>
  cloudDirectory({
    groupApi: double().address,
    issuer: 'https://login.example.com/t/v2.0',
    caPem: '',
    accessToken: 'access',
    ...given,
  });
const groupsOf = async (claims: object, given: object = {}, asked = role) =>
  (await identify(asked, { ...claims }, directory(given))).groups;

describe('groups that a cloud directory keeps elsewhere', () => {
  test('are fetched where the token says, with the access token of the sign-in', async () => {
    expect(await groupsOf(atDouble())).toEqual(['a', 'b']);
    expect(double().requests).toEqual([
      {
        path: '/v1.0/users/alice/getMemberObjects',
        authorization: 'Bearer access',
        body: { securityEnabledOnly: false },
      },
    ]);
  });

  test.each([true, 'true'])(
    'are those of the person who signs in, where the token says hasgroups %j',
    async (hasgroups) => {
      expect(await groupsOf({ sub: 'alice', hasgroups })).toEqual(['a', 'b']);
      expect(double().requests[0]?.path).toBe('/v1.0/me/getMemberObjects');
    },
  );

  test.each(['graph.windows.net', 'graph.microsoftazure.us'])(
    'are fetched from the group API where the token names its predecessor, %s',
    async (host) => {
      expect(await groupsOf(elsewhere(`https://${host}/t/users/alice/getMemberObjects`))).toEqual(['a', 'b']);
      expect(double().requests[0]?.path).toBe('/v1.0/t/users/alice/getMemberObjects');
    },
  );

  test('are not fetched where the token has groups', async () => {
    expect(await groupsOf({ ...atDouble(), groups: ['own'] })).toEqual(['own']);
    expect(double().requests).toEqual([]);
  });

  test('are none where the directory knows of none', async () => {
    double().groups = [];
    expect(await groupsOf(atDouble())).toEqual([]);
  });

  test.each([[['openid', 'profile']], [[]]])(
    'are not shown to a token with %j alone',
    async (permissions) => {
      double().permissions = { access: permissions };
      await expect(groupsOf({ sub: 'alice', hasgroups: true })).rejects.toThrow('the group API answers 403');
    },
  );

  test('are up to 11,000, the most that the directory gives', async () => {
    double().groups = Array.from({ length: 11_000 }, (_, index) => `00000000-0000-0000-0000-${index}`);
    expect(await groupsOf(atDouble())).toHaveLength(11_000);
  });
});

describe('an access token goes to no other place than the group API', () => {
  test.each([
    'https://evil.example/users/alice/getMemberObjects',
    'https://graph.windows.net.evil.example/x',
    'http://graph.windows.net/x',
    'https://graph.windows.net:8443/x',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'nonsense',
    '',
  ])('not to %j', async (endpoint) => {
    await expect(groupsOf(elsewhere(endpoint))).rejects.toMatchObject({
      step: 'groups',
      message: expect.stringContaining('is not at the directory’s group API'),
    });
    expect(double().requests).toEqual([]);
  });

  test('not to this machine, where nothing else was set', async () => {
    await expect(groupsOf(atDouble(), { groupApi: undefined })).rejects.toThrow(
      'is not at the directory’s group API',
    );
    expect(double().requests).toEqual([]);
  });

  test('not along a redirect', async () => {
    const other = await startCloudDirectoryDouble();
    double().instead = { status: 307, body: '', location: `${other.address}/me/getMemberObjects` };
    await expect(groupsOf(atDouble())).rejects.toThrow('the group API answers 307');
    expect(other.requests).toEqual([]);
    await other.close();
  });
});

describe('a sign-in is refused at its groups', () => {
  const prefix = 'failed to fetch groups: ';
  const noClaim = 'groups claim "groups" in _claim_names';
  test.each([
    [{}, noClaim],
    [{ hasgroups: false }, noClaim],
    [{ _claim_names: { groups: 'x' } }, '/_claim_sources/x/endpoint in claims'],
    [{ _claim_names: { groups: 7 } }, noClaim],
  ])('when the token does not say where they are: %j', async (claims, place) => {
    await expect(groupsOf({ sub: 'alice', ...claims })).rejects.toMatchObject({
      step: 'groups',
      message: `${prefix}unable to get claim sources: unable to locate ${place}`,
    });
  });

  const noList = 'the group API returned no list of groups';
  const part = '{"value":["a"],"@odata.nextLink":"http://127.0.0.1/"}';
  test.each([
    ['an error', 403, '{"error":{"code":"Authorization_RequestDenied"}}', 'the group API answers 403'],
    ['no JSON', 200, '<html>', noList],
    ['null', 200, 'null', noList],
    ['no list', 200, '{"value":"a"}', noList],
    ['a part of them', 200, part, 'the group API returned only part of the groups'],
    ['too much', 200, `"${'x'.repeat(1024 * 1024)}"`, 'the answer is longer than 1048576 bytes'],
  ])('when the directory answers %s', async (_, status, body, reason) => {
    double().instead = { status, body };
    await expect(groupsOf(atDouble())).rejects.toMatchObject({
      step: 'groups',
      message: expect.stringMatching(`^${prefix}"groups" claim not found in token: .*${reason}$`),
    });
  });

  test('when the directory lists something else than ids', async () => {
    double().groups = ['a', { id: 'b' }];
    await expect(groupsOf(atDouble())).rejects.toThrow(
      'value map[id:b] in groups claim could not be parsed as string',
    );
  });

  test('when there is no access token, as at a sign-in with a JWT', async () => {
    await expect(groupsOf(atDouble(), { accessToken: undefined })).rejects.toThrow(
      'there is no access token for the group API',
    );
  });

  test('in words without the access token', async () => {
    double().instead = { status: 500, body: 'access' };
    await expect(groupsOf(atDouble(), { accessToken: 'secret-token' })).rejects.not.toThrow('secret-token');
  });
});
