import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoginRole } from '../../../../core/login/login-role.ts';
import { listen } from '../../../../services/listen.ts';
import type { Config } from '../../../../services/secrets/auth/config.ts';
import { refuseSuiteLookups, withFetchedGroups } from '../../../../services/secrets/auth/provider-lookup.ts';

const role: LoginRole = { name: 'r', roleType: 'oidc', userClaim: 'sub', groupsClaim: 'groups' };
const config = (provider_config: object) => ({ provider_config, oidc_discovery_ca_pem: '' }) as Config;

// openbao/openbao builtin/credential/jwt/provider_azure.go; interface.md B-2, "Users in more than 200 groups".
describe('groups that a cloud directory keeps elsewhere', () => {
  let server: Server;
  let endpoint: string;
  let status = 200;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const groups = request.headers.authorization === 'Bearer access' ? ['a', 'b'] : [];
      response.writeHead(status).end(JSON.stringify({ value: groups }));
    });
    endpoint = `http://127.0.0.1:${await listen(server, 0)}/`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const claims = () => ({
    sub: 'alice',
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint } },
  });
  const fetched = (given: object, provider = 'azure') =>
    withFetchedGroups(config({ provider }), role, { ...given }, 'access');

  test.each(['azure', 'cloud_directory'])('are fetched with the access token, for %s', async (provider) => {
    expect(await fetched(claims(), provider)).toMatchObject({ groups: ['a', 'b'] });
  });

  test('are not fetched where the token has groups, or the method no such provider config', async () => {
    expect(await fetched({ groups: ['own'], ...claims() })).toMatchObject({ groups: ['own'] });
    expect(await withFetchedGroups(config({}), role, claims(), 'access')).toEqual(claims());
  });

  test('refuse the sign-in when the directory does not give them', async () => {
    status = 403;
    await expect(fetched(claims())).rejects.toMatchObject({
      step: 'groups',
      message: 'failed to fetch groups: "groups" claim not found in token: failed to get groups: status 403',
    });
  });

  test.each([
    [{}, 'unable to locate groups claim "groups" in _claim_names'],
    [{ _claim_names: { groups: 'x' } }, 'unable to locate /_claim_sources/x/endpoint in claims'],
  ])('refuse the sign-in when the token does not say where: %j', async (given, reason) => {
    await expect(fetched(given)).rejects.toThrow(reason);
  });
});

test.each([
  [{ provider: 'gsuite', fetch_groups: true }, true],
  [{ provider: 'workspace_suite', fetch_groups: 'true' }, true],
  [{ provider: 'gsuite', fetch_user_info: true }, true],
  [{ provider: 'gsuite' }, false],
  [{}, false],
])('a sign-in that the workspace suite would be asked about is refused: %j: %s', (given, isRefused) => {
  const judge = () => refuseSuiteLookups(config(given), role);
  if (isRefused) expect(judge).toThrow('does not ask the workspace suite');
  else expect(judge).not.toThrow();
});
