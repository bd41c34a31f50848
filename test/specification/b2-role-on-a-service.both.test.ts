import { beforeAll, expect, test } from '@jest/globals';
import { developmentClient } from '../../packages/secrets-service/src/identity-provider/development.ts';
import { startIdentity } from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { ask, write } from '../harness/ask.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { goodClaims, rsaPem, signed } from '../security/jwt-methods.ts';

const cli = 'http://localhost:8250/oidc/callback';
const page = 'http://127.0.0.1:8200/ui/vault/auth/oidc/oidc/callback';
const bound = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['secrets'] };

// Every field of table B2, by what it does to a sign-in.
describeOnBothServers('B2. Role, on a service', (server) => {
  const identity = started(startIdentity);
  beforeAll(async () => {
    await write(server(), 'sys/auth/jwt', { type: 'jwt' });
    await write(server(), 'auth/jwt/config', { jwt_validation_pubkeys: [rsaPem] });
    await write(server(), 'sys/auth/oidc', { type: 'oidc' });
    await write(server(), 'auth/oidc/config', {
      oidc_discovery_url: identity().issuers['open_source_identity_server'],
      oidc_client_id: developmentClient.clientId,
      oidc_client_secret: developmentClient.clientSecret,
    });
  });

  let roles = 0;
  /** Writes a role of its own, and signs in to it. */
  async function signIn(role: object, claims: object = {}) {
    roles += 1;
    const name = `role-${roles}`;
    await write(server(), `auth/jwt/role/${name}`, { ...bound, ...role });
    const jwt = signed({ alg: 'RS256' }, { ...goodClaims(), ...claims });
    return await ask(server(), {
      method: 'POST',
      path: 'auth/jwt/login',
      body: { role: name, jwt },
      token: '',
    });
  }
  async function authUrl(role: object, redirect_uri: string): Promise<URL | undefined> {
    await write(server(), 'auth/oidc/role/people', { user_claim: 'sub', ...role });
    const { data } = await write(server(), 'auth/oidc/oidc/auth_url', { role: 'people', redirect_uri });
    return URL.parse(data.auth_url) ?? undefined;
  }

  test('B2 role_type: a JWT signs in to a role of type jwt alone', async () => {
    expect((await signIn({})).status).toBe(200);
    const other = await signIn({ role_type: 'oidc', allowed_redirect_uris: cli });
    expect(other.body.errors).toEqual(['role with oidc role_type is not allowed']);
  });

  test.each(['email', 'sub'])('B2 user_claim: %s is the identity', async (user_claim) => {
    const { body } = await signIn({ user_claim }, { email: 'alice@example.com', sub: 'alice' });
    const entity = await ask(server(), { method: 'GET', path: `identity/entity/id/${body.auth.entity_id}` });
    const name = user_claim === 'email' ? 'alice@example.com' : 'alice';
    expect(entity.body.data.aliases.map((alias: any) => alias.name)).toEqual([name]);
  });

  test('B2 allowed_redirect_uris: with commas between them, and no other is allowed', async () => {
    const role = { allowed_redirect_uris: `${cli},${page}` };
    for (const uri of [cli, page])
      expect((await authUrl(role, uri))?.searchParams.get('redirect_uri')).toBe(uri);
    expect(await authUrl(role, 'https://elsewhere.example/oidc/callback')).toBeUndefined();
  });

  test('B2 oidc_scopes: are asked for', async () => {
    const url = await authUrl({ allowed_redirect_uris: cli, oidc_scopes: ['profile', 'groups'] }, cli);
    expect(url?.searchParams.get('scope')?.split(' ').sort()).toEqual(['groups', 'openid', 'profile']);
  });

  test('B2 groups_claim, B4: a group of the token is that of the alias with its name, mount and group', async () => {
    const policies = [`of-admins-${server().kind}`];
    const group = await write(server(), 'identity/group', { type: 'external', name: 'admins', policies });
    const methods = await ask(server(), { method: 'GET', path: 'sys/auth' });
    await write(server(), 'identity/group-alias', {
      name: '00000000-0000-0000-c000-000000000046',
      mount_accessor: methods.body.data['jwt/'].accessor,
      canonical_id: group.data.id,
    });
    const groups = ['00000000-0000-0000-c000-000000000046', 'unknown'];
    const member = await signIn({ groups_claim: 'groups' }, { groups });
    const stranger = await signIn({ groups_claim: 'groups' }, { sub: 'bob', groups: ['unknown'] });
    expect([member.body.auth.identity_policies, stranger.body.auth.identity_policies]).toEqual([
      policies,
      undefined,
    ]);
  });

  test('B4 mount_accessor: an alias of a mount that is not there is refused', async () => {
    const body = { name: 'g', mount_accessor: 'auth_oidc_00000000', canonical_id: '' };
    expect((await ask(server(), { method: 'POST', path: 'identity/group-alias', body })).status).toBe(400);
  });

  test('B4 canonical_id: an alias of a group that is not there is refused', async () => {
    const methods = await ask(server(), { method: 'GET', path: 'sys/auth' });
    const mount_accessor = methods.body.data['jwt/'].accessor;
    const body = { name: 'g', mount_accessor, canonical_id: '00000000-0000-0000-0000-000000000000' };
    expect((await ask(server(), { method: 'POST', path: 'identity/group-alias', body })).status).toBe(400);
  });

  test('B2 claim_mappings: a path of a custom schema becomes metadata', async () => {
    const { body } = await signIn(
      { claim_mappings: { '/Education/degree': 'degree', team: 'team' } },
      { Education: { degree: 'MSc' }, team: 'a' },
    );
    expect(body.auth.metadata).toEqual({ role: expect.any(String), degree: 'MSc', team: 'a' });
  });

  test('B2 claim_mappings: may be given repeatedly', async () => {
    const claim_mappings = ['/Education/degree=degree', 'team=team'];
    const { body } = await signIn({ claim_mappings }, { Education: { degree: 'MSc' }, team: 'a' });
    expect(body.auth.metadata).toMatchObject({ degree: 'MSc', team: 'a' });
  });

  test.each([
    ['secrets', 200],
    [['elsewhere', 'secrets'], 200],
    ['elsewhere', 400],
  ])('B2 bound_audiences: a token for %j is answered with %i', async (aud, status) => {
    expect((await signIn({ bound_audiences: ['secrets', 'more'] }, { aud })).status).toBe(status);
  });

  test.each([
    ['system:serviceaccount:shop:web', 200],
    ['system:serviceaccount:shop:web2', 400],
    ['system:serviceaccount:shop', 400],
  ])('B2 bound_subject: a token of %s is answered with %i', async (sub, status) => {
    expect((await signIn({ bound_subject: 'system:serviceaccount:shop:web' }, { sub })).status).toBe(status);
  });

  test('B2 policies: are those of the token, beside default', async () => {
    const { body } = await signIn({ policies: ['a', 'b'] });
    expect(body.auth.token_policies).toEqual(['a', 'b', 'default']);
  });

  test('B2 ttl: 1h is how long the token lives', async () => {
    expect((await signIn({ ttl: '1h' })).body.auth.lease_duration).toBe(3_600);
  });
});
