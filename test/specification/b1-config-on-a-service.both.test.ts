import { beforeAll, expect, test } from '@jest/globals';
import { developmentClient } from '../../packages/secrets-service/src/identity-provider/development.ts';
import { startIdentity } from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { ask, write } from '../harness/ask.ts';
import { PrivateIssuer } from '../harness/private-issuer.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { goodClaims, p256, rsa, rsaPem, signed } from '../security/jwt-methods.ts';

// Every field of table B1, on servers that answer.
describeOnBothServers('B1. Configuration, on a service', (server) => {
  const identity = started(startIdentity);
  beforeAll(async () => {
    await write(server(), 'sys/auth/oidc', { type: 'oidc' });
    await write(server(), 'sys/auth/jwt', { type: 'jwt' });
  });

  const credentials = () => ({
    oidc_discovery_url: identity().issuers['source_hosting'],
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
  });
  const configure = (mount: string, body: object) =>
    ask(server(), { method: 'POST', path: `auth/${mount}/config`, body });
  const configured = async (mount: string) =>
    (await ask(server(), { method: 'GET', path: `auth/${mount}/config` })).body.data;
  const login = (body: object) => ask(server(), { method: 'POST', path: 'auth/jwt/login', body, token: '' });

  test('B1 oidc_client_id and oidc_discovery_url: are kept and read back', async () => {
    await write(server(), 'auth/oidc/config', credentials());
    const { oidc_client_id, oidc_discovery_url } = credentials();
    expect(await configured('oidc')).toMatchObject({ oidc_client_id, oidc_discovery_url });
  });

  test('B1 oidc_client_secret: is needed beside the id, and never read back', async () => {
    const { oidc_client_secret: _, ...without } = credentials();
    expect((await configure('oidc', without)).status).toBe(400);
    await write(server(), 'auth/oidc/config', credentials());
    expect(JSON.stringify(await configured('oidc'))).not.toContain(developmentClient.clientSecret);
  });

  test('B1 oidc_discovery_url: with the well-known suffix it is refused', async () => {
    const { oidc_discovery_url: url, ...rest } = credentials();
    const oidc_discovery_url = `${url}.well-known/openid-configuration`;
    const { status, body } = await configure('oidc', { ...rest, oidc_discovery_url });
    expect([status, body.errors]).toEqual([400, [expect.stringContaining('.well-known')]]);
  });

  test('B1 default_role: is used when a login names none', async () => {
    await write(server(), 'auth/jwt/config', { jwt_validation_pubkeys: [rsaPem], default_role: 'reader' });
    const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['secrets'] };
    await write(server(), 'auth/jwt/role/reader', role);
    const { body } = await login({ jwt: signed({ alg: 'RS256' }, goodClaims()) });
    expect(body.auth.metadata).toEqual({ role: 'reader' });
    await write(server(), 'auth/jwt/config', { jwt_validation_pubkeys: [rsaPem] });
    expect((await login({ jwt: signed({ alg: 'RS256' }, goodClaims()) })).body.errors).toEqual([
      'missing role',
    ]);
  });

  test.each([
    ['a list', (pems: string[]) => pems],
    ['chained with commas', (pems: string[]) => pems.join(',')],
  ])('B1 jwt_validation_pubkeys: several keys, %s; a token of each signs in', async (_, given) => {
    const other = p256.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    await write(server(), 'auth/jwt/config', { jwt_validation_pubkeys: given([rsaPem, other]) });
    const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['secrets'] };
    await write(server(), 'auth/jwt/role/reader', role);
    const tokens = [
      signed({ alg: 'RS256' }, goodClaims(), { key: rsa.privateKey }),
      signed({ alg: 'ES256' }, goodClaims(), { by: 'ES256', key: p256.privateKey }),
    ];
    for (const jwt of tokens) expect((await login({ role: 'reader', jwt })).status).toBe(200);
  });

  test('B1 provider_config: an object with settings of a provider', async () => {
    // The service knows the provider by the name of its dialect.
    await write(server(), 'auth/oidc/config', { ...credentials(), provider_config: { provider: 'azure' } });
    expect((await configured('oidc')).provider_config).toEqual({ provider: 'azure' });
  });

  test('B1 oidc_discovery_ca_pem: is trusted when the issuer is contacted, and nothing else is', async () => {
    const issuer = new PrivateIssuer();
    await issuer.start();
    const { url: oidc_discovery_url } = issuer.issuer;
    const pem = issuer.caPem;
    const without = await configure('jwt', { oidc_discovery_url });
    const trusted = await configure('jwt', { oidc_discovery_url, oidc_discovery_ca_pem: pem });
    const kept = (await configured('jwt')).oidc_discovery_ca_pem;
    issuer.close();
    expect([without.status, without.body.errors[0]]).toEqual([
      400,
      expect.stringContaining('error checking oidc discovery URL'),
    ]);
    expect([trusted.status, kept.trim()]).toEqual([204, pem.trim()]);
  });
});
