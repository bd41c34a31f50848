import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../../src/environment/declared.ts';
import {
  adoptedSettings,
  kindById,
  kindNamed,
  kinds,
  type ProviderKind,
  productOf,
  providerKinds,
  recognizeKind,
  unknownKind,
} from '../../../src/graph/kinds/kinds.ts';
import type { AuthMethod } from '../../../src/graph/resources/auth-method.ts';
import { signingAlgorithms } from '../../../src/graph/resources/checks.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import {
  givenProvider,
  parsedProvider,
  problemsOfProvider,
  specifiedKinds,
} from '../../environment/environment-fixture.ts';
import { certificatePem } from '../../pems.ts';

const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const redirects = [
  'http://localhost:8250/oidc/callback',
  'https://secrets.example.com/ui/secrets/auth/it/oidc/callback',
];
const groups = [{ name: 'admins', alias: 'owners' }];

describe('kinds', () => {
  test('what is no text is no kind', () => {
    expect(unknownKind({ toString: 0 })).toEqual(expect.objectContaining({ what: 'unknown provider kind' }));
  });

  test('has an entry for each kind, under its identifier', () => {
    expect(Object.entries(kinds).map(([key, { kind }]) => [key, kind])).toEqual(
      providerKinds.map((kind) => [kind, kind]),
    );
    expect(providerKinds).toEqual(expect.arrayContaining(specifiedKinds));
    expect(Object.keys(expected)).toEqual(specifiedKinds);
  });

  test.each(providerKinds)('%s: settings that were parsed parse to themselves', (kind) => {
    const once = parsedProvider(kind, { tune: { maxLeaseTtl: '24h' }, description: 'x' });
    expect(kinds[kind].settings.parse(once)).toEqual(once);
  });
});

/**
 * What docs/inside/specification.md B-2 (and B-4) asks of each kind, given the least that its administrator has in
 * hand.
 */
const expected: Record<string, { config: object; role: object; groupsClaim: string | undefined }> = {
  cloud_directory: {
    config: {
      oidcDiscoveryUrl: 'https://login.microsoftonline.com/3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f/v2.0',
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

const products: [product: string, kind: string][] = [
  ['Microsoft Entra ID', 'cloud_directory'],
  ['Auth0', 'hosted_identity_platform'],
  ['ForgeRock', 'access_management_suite'],
  ['GitLab', 'source_hosting'],
  ['Google Workspace', 'workspace_suite'],
  ['Keycloak', 'open_source_identity_server'],
  ['Okta', 'enterprise_identity_provider'],
  ['Kubernetes', 'container_orchestrator'],
];

describe('a kind', () => {
  test.each(products)('is known as %s', (product, kind) => {
    expect(productOf(kind as ProviderKind)).toBe(product);
    expect(kindNamed(product)).toBe(kind);
  });

  test.each([
    ['KEYCLOAK', 'open_source_identity_server'],
    ['k8s', 'container_orchestrator'],
    ['openSourceIdentityServer', 'open_source_identity_server'],
    ['entra-id', 'cloud_directory'],
    ['PingAM', 'access_management_suite'],
    ['container orchestrator', 'container_orchestrator'],
    ['ldap', undefined],
    ['', undefined],
    [7, undefined],
  ])('is understood without case and marks: %s', (text, kind) => {
    expect(kindNamed(text)).toBe(kind);
  });

  test('has no name that another one has', () => {
    const names = Object.values(kinds).flatMap(({ kind, products }) => [kind, ...products]);
    expect(names.map((name) => [name, kindNamed(name)])).toEqual(
      Object.values(kinds).flatMap(({ kind, products }) => [kind, ...products].map((name) => [name, kind])),
    );
  });

  test.each([
    ['oktta', 'did you mean enterprise_identity_provider (Okta)?'],
    ['sorce_hosting', 'did you mean source_hosting (GitLab)?'],
    ['ldap', undefined],
  ])('that is misspelled as %s is guessed', (text, fix) => {
    expect(unknownKind(text).fix).toBe(fix);
  });

  test.each<[string, ProviderKind | undefined, Partial<AuthMethod>?, string?]>([
    ['https://login.microsoftonline.com/x/v2.0', 'cloud_directory'],
    ['https://sts.windows.net/x/', 'cloud_directory', { type: 'jwt' }],
    ['https://example.eu.auth0.com/', 'hosted_identity_platform'],
    ['https://gitlab.com', 'source_hosting'],
    ['https://gitlab.com', 'gitlab_ci', { type: 'jwt' }],
    ['https://token.actions.githubusercontent.com', 'github_actions', { type: 'jwt' }],
    ['https://token.actions.githubusercontent.com/acme', 'github_actions', { type: 'jwt' }],
    ['https://token.actions.githubusercontent.com', undefined],
    ['https://app.terraform.io', 'hcp_terraform', { type: 'jwt' }],
    ['https://oidc.circleci.com/org/x', 'circleci', { type: 'jwt' }],
    ['https://api.bitbucket.org/2.0/workspaces/x', 'bitbucket_pipelines', { type: 'jwt' }],
    ['https://agent.buildkite.com', 'buildkite', { type: 'jwt' }],
    ['https://accounts.google.com', 'workspace_suite'],
    ['https://id.example.com/realms/main', 'open_source_identity_server'],
    ['https://am.example.com/am/oauth2/realms/root/realms/alpha', 'access_management_suite'],
    ['https://x.forgeblocks.com:443/am/oauth2', 'access_management_suite'],
    ['https://login.partner.microsoftonline.cn/x/v2.0', 'cloud_directory'],
    ['https://loginxmicrosoftonline.com/x/v2.0', undefined],
    ['https://keycloak.example.com', 'open_source_identity_server'],
    ['https://example.okta.com', 'enterprise_identity_provider'],
    ['https://kubernetes.default.svc', 'container_orchestrator', { type: 'jwt' }],
    ['https://x.example.com', 'container_orchestrator', { type: 'jwt' }, 'system:serviceaccount:a:b'],
    ['https://id.example.com', undefined],
    ['no URL', undefined],
  ])('with the issuer %s is recognized as %s', (oidcDiscoveryUrl, kind, fields = {}, boundSubject = 'x') => {
    const method: AuthMethod = { path: 'it', type: 'oidc', config: { oidcDiscoveryUrl }, ...fields };
    const role: Role = { method: 'it', name: 'r', roleType: method.type, userClaim: 'sub', boundSubject };
    expect(recognizeKind(method, [role])).toBe(kind);
    expect(recognizeKind(method, [{ ...role, method: 'other' }])).toBe(
      boundSubject === 'x' ? kind : undefined,
    );
  });
});

describe.each(providerKinds)('%s', (kind) => {
  test('is recognized in the method that it declares, and declares the same again', () => {
    const { method, roles } = declareProvider(parsedProvider(kind), service);
    const [adopted] = adoptedSettings(method, roles);
    expect(adopted?.kind).toBe(kind);
    const [given] = parsedProvider(kind).roles;
    const own = kindById(kind).adoptRole?.(roles[0] as Role) ?? {};
    expect(given).toMatchObject(own);
    const { config, jwtSupportedAlgs } = parsedProvider(kind);
    const again = { name: 'it', config, jwtSupportedAlgs, ...adopted, roles: [{ ...given, ...own }] };
    expect(declareProvider(kindById(kind).settings.parse(again), service)).toEqual(
      declareProvider(parsedProvider(kind), service),
    );
  });
});

describe.each(specifiedKinds)('%s', (kind) => {
  const type = kind === 'container_orchestrator' ? 'jwt' : 'oidc';
  const claim = kind === 'hosted_identity_platform' ? { groupsClaim: 'https://example.com/groups' } : {};
  const { method, roles } = declareProvider(parsedProvider(kind), service);

  test(`is an auth method of type ${type}, configured from the least`, () => {
    expect(method).toEqual({ path: 'it', type, config: expected[kind]?.config });
  });

  test('has a role of the least', () => {
    expect(roles).toEqual([
      {
        ...(type === 'oidc' ? { allowedRedirectUris: redirects } : {}),
        ...expected[kind]?.role,
        method: 'it',
        name: 'reader',
        roleType: type,
      },
    ]);
  });

  test('asks for the groups claim where groups are declared', () => {
    const settings = kindById(kind).settings.parse(givenProvider(kind, { groups, ...claim }));
    const declared = declareProvider(settings, service);
    expect(declared.roles[0]?.groupsClaim).toBe(expected[kind]?.groupsClaim);
  });
});

describe.each(providerKinds.filter((kind) => kinds[kind].methodType === 'oidc'))('%s', (kind) => {
  const settings = { caPem: certificatePem, jwtSupportedAlgs: ['ES256', 'RS256'], config: undefined };

  test('trusts a CA, and takes the algorithms that are given', () => {
    const { method } = declareProvider(parsedProvider(kind, settings), service);
    expect(method.config).toMatchObject({
      oidcDiscoveryCaPem: certificatePem,
      jwtSupportedAlgs: ['ES256', 'RS256'],
    });
  });

  test.each<[object, string]>([
    [
      { caPem: certificatePem, config: { oidcDiscoveryCaPem: certificatePem } },
      'config.oidcDiscoveryCaPem: caPem says this already; give one of the two',
    ],
    [
      { jwtSupportedAlgs: ['RS256'], config: { jwtSupportedAlgs: ['ES256'] } },
      'config.jwtSupportedAlgs: jwtSupportedAlgs says this already; give one of the two',
    ],
    [
      { jwtSupportedAlgs: ['RS256', 'HS256'], config: undefined },
      `jwtSupportedAlgs[1]: "HS256" is not a supported algorithm; use one of ${signingAlgorithms.join(', ')}`,
    ],
  ])('refuses %j', (given, problem) => {
    expect(problemsOfProvider(kind, { ...given })).toEqual([problem]);
  });
});
