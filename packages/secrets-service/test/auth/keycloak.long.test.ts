import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { describeWithKeycloak } from '../../../../test/harness/keycloak.ts';
import {
  answerIn,
  createMainRealm,
  fillInLoginForm,
  keycloakClient,
  keycloakRobot,
  robotToken,
} from '../../../../test/harness/keycloak-realm.ts';

// docs/inside/specification.md B-2, "Open-source identity server";
// docs/providers.md#keycloak-open_source_identity_server.
describeWithKeycloak(
  'a real Keycloak as the identity provider of the embedded secrets service',
  (keycloak) => {
    let service: Awaited<ReturnType<typeof startEmbeddedService>>;
    let environment: EnvironmentUnderTest;
    beforeAll(async () => {
      await createMainRealm(keycloak());
      service = await startEmbeddedService();
      environment = await EnvironmentUnderTest.start(service);
      // Each provider has its own authority here.
      delete environment.env['GATEHOUSE_IDENTITY_ADDRESS'];
      const { succeeded, diagnostics } = await environment.run('up', declaredStack());
      if (!succeeded) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    }, 120_000);
    afterAll(async () => {
      await environment?.close();
      await service?.close();
    });

    /** What a team declares: one provider, two roles, one group. */
    const declaredStack = () =>
      environment.stack((config) => {
        delete config['identity'];
        config['messages'] = [];
        config['clientSecrets'] = { community: keycloakClient.clientSecret };
        config['providers'] = [
          {
            kind: 'open_source_identity_server',
            name: 'community',
            authority: keycloak().address,
            realm: 'main',
            clientId: keycloakClient.clientId,
            defaultRole: 'contributor',
            roles: [
              {
                name: 'contributor',
                policies: ['secrets-read'],
                ttl: '1h',
                claimMappings: { preferred_username: 'username', email: 'mail' },
              },
              { name: 'owner', policies: ['login-admin'], ttl: '10m', boundClaims: { groups: '/admins' } },
            ],
            groups: [{ name: 'maintainers', policies: ['secrets-admin'], alias: '/admins' }],
          },
        ];
      });

    async function call(path: string, body?: object): Promise<any> {
      const answer = await ask(service, { method: body === undefined ? 'GET' : 'POST', path, body });
      return { status: answer.status, ...answer.body };
    }
    const authUrl = async (role = '', redirectUri = keycloakClient.redirectUri): Promise<string> =>
      (await call('auth/community/oidc/auth_url', { role, redirect_uri: redirectUri, client_nonce: 'n' }))
        .data.auth_url;
    const callback = (answer: Record<string, string>) =>
      call(`auth/community/oidc/callback?${new URLSearchParams({ client_nonce: 'n', ...answer })}`);
    async function signIn(username: string, role?: string) {
      const redirectUrl = await fillInLoginForm(await authUrl(role), username);
      return callback(answerIn(redirectUrl ?? ''));
    }

    describe('a person', () => {
      test('signs in through its login form, with the policies of the role and of the group', async () => {
        const { status, auth } = await signIn('ada');
        expect({
          status,
          policies: auth.policies,
          identityPolicies: auth.identity_policies,
          metadata: auth.metadata,
          leaseSeconds: auth.lease_duration,
        }).toEqual({
          status: 200,
          policies: ['default', 'secrets-admin', 'secrets-read'],
          identityPolicies: ['secrets-admin'],
          metadata: { role: 'contributor', username: 'ada', mail: 'ada@example.com' },
          leaseSeconds: 3600,
        });
      });

      test('loses the policies of a group with it, at the next sign-in', async () => {
        const users = (await keycloak().admin('GET', '/main/users?username=ada')) as { id: string }[];
        const groups = (await keycloak().admin('GET', '/main/groups?search=admins')) as { id: string }[];
        const membership = `/main/users/${users[0]?.id}/groups/${groups[0]?.id}`;
        await keycloak().admin('DELETE', membership);
        const without = await signIn('ada');
        await keycloak().admin('PUT', membership);
        expect([without.auth.policies, (await signIn('ada')).auth.policies]).toEqual([
          ['default', 'secrets-read'],
          ['default', 'secrets-admin', 'secrets-read'],
        ]);
      });
    });

    describe('is refused', () => {
      test('a person outside the group that the role is bound to', async () => {
        expect((await signIn('ada', 'owner')).status).toBe(200);
        expect((await signIn('bob', 'owner')).errors).toEqual([
          'Login failed. error validating claims: claim "groups" does not match any associated bound claim values',
        ]);
      });

      test('the code of somebody else', async () => {
        const [ada, bob] = [
          await fillInLoginForm(await authUrl(), 'ada'),
          await fillInLoginForm(await authUrl(), 'bob'),
        ];
        const { code = '' } = answerIn(bob ?? '');
        const { status, errors } = await callback({ ...answerIn(ada ?? ''), code });
        expect({ status, errors }).toEqual({
          status: 400,
          errors: [expect.stringMatching(/^Login failed\. Error exchanging oidc code: .*\(invalid_grant\)/)],
        });
      });

      test('a client with a wrong secret', async () => {
        const discovery = `${keycloak().address}/realms/main`;
        await call('sys/auth/wrong', { type: 'oidc' });
        const client = { oidc_client_id: keycloakClient.clientId, oidc_client_secret: 'wrong' };
        await call('auth/wrong/config', { oidc_discovery_url: discovery, ...client });
        const allowed_redirect_uris = [keycloakClient.redirectUri];
        await call('auth/wrong/role/r', { user_claim: 'sub', allowed_redirect_uris });
        const started = await call('auth/wrong/oidc/auth_url', {
          role: 'r',
          redirect_uri: keycloakClient.redirectUri,
        });
        const answer = answerIn((await fillInLoginForm(started.data.auth_url, 'ada')) ?? '');
        const { errors } = await call(`auth/wrong/oidc/callback?${new URLSearchParams(answer)}`);
        expect(errors).toEqual([expect.stringContaining('(unauthorized_client)')]);
        expect(errors[0]).not.toContain(answer['code']);
      });
    });

    describe('a workload with a token by client credentials', () => {
      const role = {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: [keycloakRobot.audience],
        bound_claims: { azp: keycloakRobot.clientId },
        claim_mappings: { azp: 'client' },
        token_policies: ['secrets-read'],
      };
      const login = (name: string, jwt: string) => call('auth/robots/login', { role: name, jwt });
      beforeAll(async () => {
        await call('sys/auth/robots', { type: 'jwt' });
        const issuer = `${keycloak().address}/realms/main`;
        await call('auth/robots/config', { oidc_discovery_url: issuer, bound_issuer: issuer });
        await call('auth/robots/role/robot', role);
      });

      test('signs in to a jwt role', async () => {
        const { status, auth } = await login('robot', await robotToken(keycloak()));
        expect({ status, policies: auth.policies, metadata: auth.metadata }).toEqual({
          status: 200,
          policies: ['default', 'secrets-read'],
          metadata: { role: 'robot', client: 'robot' },
        });
      });
    });
  },
);
