import { beforeAll, describe, expect, test } from '@jest/globals';
import { startIdentity } from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { ask, write } from '../harness/ask.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { enableJwt, goodClaims, p256, rsaPem, signed, startKeyServer } from '../security/jwt-methods.ts';

const jwt = () => signed({ alg: 'RS256' }, goodClaims());

describe('B-1. JWT login, by the neutral names', () => {
  const server = started(startEmbeddedService);
  beforeAll(async () => {
    await enableJwt(server(), { path: 'jwt' });
  });
  const login = (url: string, init: RequestInit = {}) =>
    fetch(`${server().address}${url}`, {
      method: 'POST',
      headers: { 'X-Secrets-Request': 'true' },
      body: JSON.stringify({ jwt: jwt(), role: 'people' }),
      ...init,
    });

  test('B-1: POST {base_url}/v1/auth/jwt/login with jwt and role signs in', async () => {
    const response = await login('/v1/auth/jwt/login');
    const { auth } = (await response.json()) as any;
    expect([response.status, auth.metadata]).toEqual([200, { role: 'people' }]);
  });

  test('B-1 header: with X-Secrets-Request and without', async () => {
    expect((await login('/v1/auth/jwt/login', { headers: {} })).status).toBe(200);
  });

  test.each(['/auth/jwt/login', '/v2/auth/jwt/login', '/V1/auth/jwt/login', '/v1auth/jwt/login'])(
    'Versioning 2: nothing is at %s',
    async (url) => {
      expect((await login(url)).status).toBe(404);
    },
  );

  test.each([
    ['GET', 405],
    ['DELETE', 405],
    ['LIST', 404],
    ['PATCH', 405],
  ])('B-1: %s is no login', async (method, status) => {
    const body = undefined;
    expect((await login('/v1/auth/jwt/login', { method, body })).status).toBe(status);
  });
});

describeOnBothServers('B-4 and Authentication 4, on a service', (server) => {
  const subject = 'system:serviceaccount:shop:web';
  const issuer = () => identity().issuers['container_orchestrator'];
  const identity = started(startIdentity);
  const keys = started(startKeyServer);
  const cluster = async (path: string, config: object, role: object) => {
    await write(server(), `sys/auth/${path}`, { type: 'jwt' });
    await write(server(), `auth/${path}/config`, config);
    await write(server(), `auth/${path}/role/web`, {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: subject,
      policies: ['default'],
      ttl: '1h',
      ...role,
    });
    return async (token: string) =>
      await ask(server(), {
        method: 'POST',
        path: `auth/${path}/login`,
        body: { role: 'web', jwt: token },
        token: '',
      });
  };

  test('B-4 method 1: a token of the issuer that was discovered signs in, of this service account alone', async () => {
    const login = await cluster(
      'discovered',
      { oidc_discovery_url: issuer() },
      { bound_audiences: [issuer()] },
    );
    const mine = await identity().signWorkloadToken({ subject });
    const other = await identity().signWorkloadToken({ subject: 'system:serviceaccount:shop:other' });
    expect([(await login(mine)).status, (await login(other)).status]).toEqual([200, 400]);
  });

  test('B-4 role: a custom audience is bound instead of the issuer', async () => {
    const login = await cluster('custom', { oidc_discovery_url: issuer() }, { bound_audiences: ['secrets'] });
    const custom = await identity().signWorkloadToken({ subject, audience: 'secrets' });
    const plain = await identity().signWorkloadToken({ subject });
    expect([(await login(custom)).status, (await login(plain)).status]).toEqual([200, 400]);
  });

  test.each([
    ['a list', (pems: string[]) => pems],
    ['chained with commas', (pems: string[]) => pems.join(',')],
  ])(
    'B-4 method 2, B1: keys of several clusters in one mount, %s, and none is contacted',
    async (how, given) => {
      const other = p256.publicKey.export({ type: 'spki', format: 'pem' }) as string;
      const config = { jwt_validation_pubkeys: given([rsaPem, other]) };
      const login = await cluster(how.slice(0, 1), config, { bound_audiences: ['secrets'] });
      const claims = { ...goodClaims(), sub: subject };
      const tokens = [
        signed({ alg: 'RS256' }, claims),
        signed({ alg: 'ES256' }, claims, { by: 'ES256', key: p256.privateKey }),
      ];
      for (const token of tokens) expect((await login(token)).status).toBe(200);
      expect(keys().asked).toEqual([]);
    },
  );

  test('Authentication 4: whether a token was revoked is not asked: it is good until it expires', async () => {
    const login = await cluster(
      'lasting',
      { jwks_url: `${keys().address}/jwks` },
      { bound_audiences: ['secrets'] },
    );
    const token = signed({ alg: 'RS256', kid: 'rsa' }, { ...goodClaims(), sub: subject });
    const first = await login(token);
    const asked = keys().asked.filter((url) => url !== '/jwks');
    expect([first.status, (await login(token)).status, asked]).toEqual([200, 200, []]);
  });
});
