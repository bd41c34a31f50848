import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../core/model/declared.ts';
import { kinds, providerKinds } from '../../core/model/kinds/kinds.ts';
import { providerConfigToWire } from '../../core/model/resources/provider-config.ts';
import { parsedProvider } from '../core/model/environment-fixture.ts';
import { named, register } from '../harness/pulumi-mocks.ts';
import { service as args, make, plainArgs } from '../providers/provider-fixture.ts';

const service = { address: 'https://secrets.example.com:8200', dialect: 'neutral' } as const;
const declared = (...given: Parameters<typeof parsedProvider>) =>
  declareProvider(parsedProvider(...given), service);
const oidcKinds = providerKinds.filter((kind) => kinds[kind].methodType === 'oidc');
const groups = [{ name: 'admins', alias: '00000000-0000-0000-c000-000000000046' }];

describe('B-2. Provider settings', () => {
  test.each(oidcKinds)(
    'B-2 %s: the mount has client id, client secret, discovery URL and default role',
    async (kind) => {
      const given = { ...plainArgs[kind], defaultRole: 'admin' };
      const { inputs } = named(await register(() => make(kind, given)), 'it-mount');
      for (const field of ['oidcClientId', 'oidcClientSecret', 'oidcDiscoveryUrl', 'defaultRole']) {
        expect(inputs).toHaveProperty(field);
      }
      expect(inputs['type']).toBe('oidc');
    },
  );

  test.each(oidcKinds)('B-2 %s: a role is created', (kind) => {
    expect(declared(kind).roles.map(({ name, roleType }) => [name, roleType])).toEqual([['reader', 'oidc']]);
  });

  test.each(oidcKinds)('B-2 %s: a role lists a redirect URI for the CLI, on loopback, port 8250', (kind) => {
    expect(declared(kind).roles[0]?.allowedRedirectUris?.[0]).toBe('http://localhost:8250/oidc/callback');
  });

  test.each(oidcKinds)('B-2 %s: and one for the UI, on the service’s host and port', (kind) => {
    expect(declared(kind, { path: 'oidc' }).roles[0]?.allowedRedirectUris).toEqual([
      'http://localhost:8250/oidc/callback',
      'https://secrets.example.com:8200/ui/secrets/auth/oidc/oidc/callback',
    ]);
  });
});

describe('B-2. Cloud directory provider', () => {
  const kind = 'cloud_directory';
  const tenantId = '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f';
  const created = { service: args, tenantId, application: { displayName: 'Secrets' }, groups };

  test('B-2 cloud directory: redirect URIs of type Web are added to a registered application', async () => {
    const { inputs } = named(await register(() => make(kind, created)), 'it-application');
    expect(inputs['web'].redirectUris).toHaveLength(2);
  });

  test('B-2 cloud directory: the client id is the application’s, the secret one that is created for it', async () => {
    const registered = await register(() => make(kind, created));
    expect(named(registered, 'it-mount').inputs).toMatchObject({
      oidcClientId: 'client-id-of-it-application',
      oidcClientSecret: { secret: 'secret-of-it-secret' },
    });
  });

  test('B-2 cloud directory: the discovery URL is <authority>/<tenant_id>/v2.0', () => {
    const given = { authority: 'https://login.example.com', tenantId: 'tenant' };
    expect(declared(kind, given).method.config.oidcDiscoveryUrl).toBe(
      'https://login.example.com/tenant/v2.0',
    );
  });

  test('B-2 cloud directory: user_claim email, groups_claim groups, the graph’s default scope, policy default', () => {
    expect(declared(kind).roles[0]).toMatchObject({
      userClaim: 'email',
      groupsClaim: 'groups',
      oidcScopes: ['https://graph.microsoft.com/.default'],
      policies: ['default'],
    });
  });

  test.each(['All', 'SecurityGroup'])(
    'B-2 cloud directory: a groups claim of %s in the token',
    async (membership) => {
      const application = { displayName: 'Secrets', groupMembership: membership };
      const { inputs } = named(
        await register(() => make(kind, { ...created, application })),
        'it-application',
      );
      expect(inputs['groupMembershipClaims']).toEqual([membership]);
    },
  );

  test('B-2 cloud directory: an external group, with an alias named by the directory group’s object id', () => {
    const { groups: external, aliases } = declared(kind, { groups });
    expect(external).toEqual([{ name: 'admins', policies: [] }]);
    expect(aliases).toEqual([{ name: groups[0]?.alias, method: 'it', group: 'admins' }]);
  });

  test('B-2 cloud directory, more than 200 groups: the directory read-all permission of the graph API', async () => {
    const registered = await register(() => make(kind, { ...created, manyGroups: true }));
    expect(named(registered, 'it-directory-read').inputs['claimValues']).toContain('Directory.Read.All');
  });

  test('B-2 cloud directory, more than 200 groups: provider_config is {provider: cloud_directory}', () => {
    const { providerConfig } = declared(kind, { manyGroups: true }).method.config;
    expect(providerConfigToWire(providerConfig!, 'neutral')).toEqual({ provider: 'cloud_directory' });
  });

  test('B-2 cloud directory, more than 200 groups: oidc_scopes is profile', () => {
    expect(declared(kind, { manyGroups: true }).roles[0]?.oidcScopes).toEqual(['profile']);
  });
});

describe('B-2. The other kinds', () => {
  test('B-2 hosted identity platform: client id and secret of a Web App, RS256 the only algorithm', () => {
    const { config } = declared('hosted_identity_platform').method;
    expect(config).toMatchObject({ oidcClientId: 'client', jwtSupportedAlgs: ['RS256'] });
  });

  test('B-2 access-management suite: the discovery URL is the suite’s oauth2 base path', () => {
    const { config } = declared('access_management_suite').method;
    expect(config.oidcDiscoveryUrl).toBe('https://am.example.com/am/oauth2');
  });

  test('B-2 access-management suite: user_claim sub, oidc_scopes the client’s scopes', () => {
    expect(declared('access_management_suite', { scopes: ['a', 'b'] }).roles[0]).toMatchObject({
      userClaim: 'sub',
      oidcScopes: ['a', 'b'],
    });
  });

  test('B-2 source-hosting provider: the openid scope', () => {
    expect(declared('source_hosting').roles[0]?.oidcScopes).toEqual(['openid']);
  });

  test('B-2 workspace suite provider: client id and secret of a Web Application', async () => {
    const { inputs } = named(
      await register(() => make('workspace_suite', plainArgs.workspace_suite)),
      'it-mount',
    );
    expect(inputs).toMatchObject({ oidcClientId: 'client', oidcClientSecret: { secret: 'hunter2' } });
  });

  test('B-2 open-source identity server: a confidential client of a realm, by the standard flow', () => {
    const { config } = declared('open_source_identity_server').method;
    expect(config).toEqual({
      oidcDiscoveryUrl: 'https://id.example.com/realms/main',
      oidcClientId: 'client',
    });
  });

  test('B-2 enterprise identity provider: the issuer of its authorization server is the discovery URL', () => {
    const { config } = declared('enterprise_identity_provider', { authorizationServer: 'aus9' }).method;
    expect(config.oidcDiscoveryUrl).toBe('https://example.okta.com/oauth2/aus9');
  });

  test('B-2 enterprise identity provider: profile is in oidc_scopes', () => {
    expect(declared('enterprise_identity_provider').roles[0]?.oidcScopes).toContain('profile');
  });

  test('B-2 enterprise identity provider: bound_audiences is set for the default authorization server', () => {
    expect(declared('enterprise_identity_provider').roles[0]?.boundAudiences).toContain('api://default');
  });

  test('B-2 container orchestrator: service account tokens, on a JWT mount', () => {
    expect(declared('container_orchestrator').method.type).toBe('jwt');
  });
});
