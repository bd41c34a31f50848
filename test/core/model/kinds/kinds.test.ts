import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../../../core/model/declared.ts';
import { ProviderKind } from '../../../../core/model/kinds/kind.ts';
import { kinds } from '../../../../core/model/kinds/kinds.ts';
import { parsedProvider } from '../environment-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const redirects = [
  'http://localhost:8250/oidc/callback',
  'https://secrets.example.com/ui/secrets/auth/it/oidc/callback',
];
const groups = [{ name: 'admins', alias: 'owners' }];

describe('kinds', () => {
  test('has an entry for each kind, under its identifier', () => {
    expect(Object.entries(kinds).map(([key, { kind }]) => [key, kind])).toEqual(
      Object.values(ProviderKind).map((kind) => [kind, kind]),
    );
  });

  test.each(Object.values(ProviderKind))('%s: settings that were parsed parse to themselves', (kind) => {
    const once = parsedProvider(kind, { tune: { maxLeaseTtl: '24h' }, description: 'x' });
    expect(kinds[kind].settings.parse(once)).toEqual(once);
  });
});

/** What interface.md B-2 (and B-4) asks of each kind, given the least that its administrator has in hand. */
const expected: Record<ProviderKind, { config: object; role: object; groupsClaim: string | undefined }> = {
  cloud_directory: {
    config: {
      oidcDiscoveryUrl: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
      oidcClientId: 'client',
    },
    role: {
      userClaim: 'email',
      groupsClaim: 'groups',
      oidcScopes: ['https://graph.microsoft.com/.default'],
      policies: ['default'],
    },
    groupsClaim: 'groups',
  },
  hosted_identity_platform: {
    config: {
      oidcDiscoveryUrl: 'https://example.eu.auth0.com/',
      oidcClientId: 'client',
      jwtSupportedAlgs: ['RS256'],
    },
    role: { userClaim: 'sub', oidcScopes: ['profile', 'email'] },
    groupsClaim: 'https://example.com/groups',
  },
  access_management_suite: {
    config: { oidcDiscoveryUrl: 'https://am.example.com/am/oauth2', oidcClientId: 'client' },
    role: { userClaim: 'sub', oidcScopes: ['profile', 'mail'] },
    groupsClaim: 'groups',
  },
  source_hosting: {
    config: { oidcDiscoveryUrl: 'https://gitlab.com', oidcClientId: 'client' },
    role: { userClaim: 'sub', oidcScopes: ['openid'] },
    groupsClaim: 'groups_direct',
  },
  workspace_suite: {
    config: { oidcDiscoveryUrl: 'https://accounts.google.com', oidcClientId: 'client' },
    role: { userClaim: 'sub', oidcScopes: ['profile', 'email'] },
    groupsClaim: 'groups',
  },
  open_source_identity_server: {
    config: { oidcDiscoveryUrl: 'https://id.example.com/realms/main', oidcClientId: 'client' },
    role: { userClaim: 'sub', oidcScopes: ['profile', 'email'] },
    groupsClaim: 'groups',
  },
  enterprise_identity_provider: {
    config: { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/default', oidcClientId: 'client' },
    role: { userClaim: 'sub', oidcScopes: ['profile'], boundAudiences: ['api://default', 'client'] },
    groupsClaim: 'groups',
  },
  container_orchestrator: {
    config: {
      oidcDiscoveryUrl: 'https://oidc.cluster.example.com',
      boundIssuer: 'https://oidc.cluster.example.com',
    },
    role: {
      userClaim: 'sub',
      boundAudiences: ['https://oidc.cluster.example.com'],
      boundSubject: 'system:serviceaccount:shop:web',
    },
    groupsClaim: undefined,
  },
};

describe.each(Object.values(ProviderKind))('%s', (kind) => {
  const type = kind === 'container_orchestrator' ? 'jwt' : 'oidc';
  const claim = kind === 'hosted_identity_platform' ? { groupsClaim: 'https://example.com/groups' } : {};
  const { method, roles } = declareProvider(parsedProvider(kind), service);

  test(`is an auth method of type ${type}, configured from the least`, () => {
    expect(method).toEqual({ path: 'it', type, config: expected[kind].config });
  });

  test('has a role of the least', () => {
    expect(roles).toEqual([
      {
        ...(type === 'oidc' ? { allowedRedirectUris: redirects } : {}),
        ...expected[kind].role,
        method: 'it',
        name: 'reader',
        roleType: type,
      },
    ]);
  });

  test('asks for the groups claim where groups are declared', () => {
    const declared = declareProvider(parsedProvider(kind, { groups, ...claim }), service);
    expect(declared.roles[0]?.groupsClaim).toBe(expected[kind].groupsClaim);
  });
});
