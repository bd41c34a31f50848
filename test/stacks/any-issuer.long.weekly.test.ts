import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportSPKI, importJWK } from 'jose';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { signWorkloadToken } from '../../packages/secrets-service/src/identity-provider/workload-issuer.ts';
import { type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { PrivateIssuer } from '../harness/private-issuer.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('kind jwt, through its component', (service) => {
  const server = new PrivateIssuer();
  const { caPem } = server;
  const environment = environmentFor(service);
  let stack: Stack;
  /** How each method has its keys. */
  let sources: Record<string, Record<string, unknown>>;

  beforeAll(async () => {
    await server.start();
    const { url, key } = server.issuer;
    const publicKeys = [await exportSPKI((await importJWK(key.publicJwk, 'RS256')) as never)];
    const jwksUrl = `${url}/openid/v1/jwks`;
    sources = {
      discovery: { issuer: url, caPem },
      'other-issuer': { issuer: 'robots', discoveryUrl: url, caPem },
      address: { issuer: url, jwksUrl, caPem },
      pem: { issuer: url, publicKeys },
      jwks: { issuer: url, jwks: { keys: [key.publicJwk] } },
      // OpenBao has no such field.
      ...(service().kind === 'embedded' && {
        pairs: {
          issuer: url,
          jwksPairs: [
            { url: jwksUrl, caPem },
            { url: `${url}/openid/v1/jwks`, caPem },
          ],
        },
      }),
    };
    stack = environment().stack((config: DevConfig) => {
      config['providers'] = Object.entries(sources).map(([name, own]) => ({
        kind: 'jwt',
        name,
        audiences: ['secrets'],
        ...own,
        config: { jwtSupportedAlgs: ['RS256'] },
        roles: [{ name: 'robot', boundSubject: 'robot-7', boundClaims: { team: ['a', 'b'] }, ttl: '10m' }],
      }));
      for (const key of ['clientSecrets', 'messages', 'serviceAccountKeys', 'promises']) delete config[key];
    });
    await environment().up(stack);
  });
  afterAll(async () => {
    server.close();
  });

  const signIn = async (method: string, claims: Record<string, unknown>) => {
    const [subject, audience] = ['robot-7', 'secrets'];
    const jwt = await signWorkloadToken('jwt', server.issuer, { subject, audience, claims });
    try {
      const { auth } = await environment().client.post(`auth/${method}/login`, { role: 'robot', jwt });
      return Number(auth?.['lease_duration']);
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('takes the tokens of its issuer, wherever the keys come from, and no others', async () => {
    const found = await Promise.all(
      Object.keys(sources).map(async (method) => {
        const iss = String(sources[method]?.['issuer']);
        return [
          method,
          await signIn(method, { iss, team: 'b' }),
          await signIn(method, { iss: 'https://else.example', team: 'b' }),
          await signIn(method, { iss, team: 'c' }),
        ];
      }),
    );
    expect(found).toEqual(
      Object.keys(sources).map((method) => [
        method,
        600,
        expect.stringContaining('invalid issuer (iss) claim'),
        expect.stringContaining('does not match any associated bound claim values'),
      ]),
    );
  });

  test('is unchanged by a second up, and has not drifted', async () => {
    expect(await environment().up(stack)).toEqual([]);
    const report = await drift({ stack, env: environment().env, unmanaged: false });
    expect(report.differences).toEqual([]);
  });
});
