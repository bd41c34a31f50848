import { workspaceSuite as suite } from './graph-fixture.ts';
import { type Case, type Judged, ofKind, people, workloads } from './rule-case.ts';

const guid = '00000000-0000-0000-c000-000000000046';
const directory = { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant/v2.0' };
const graph = 'https://graph.microsoft.com/.default';

/** Rules over a graph that speak of one kind of provider. */
export const kindRuleCases: Record<string, Case<Judged, Judged>> = {
  'workspace-groups-not-fetched': {
    error: {
      'no directory': ofKind('workspace_suite', people({ groupsClaim: 'groups' })),
      'a directory without fetch_groups': people(
        { groupsClaim: 'groups' },
        { providerConfig: { ...suite, fetchGroups: false } },
      ),
    },
    quiet: {
      'fetched groups': people({ groupsClaim: 'groups' }, { providerConfig: suite }),
      'no groups claim': ofKind('workspace_suite', people()),
    },
  },
  'workspace-user-claim': {
    error: { 'another claim': people({ userClaim: 'name' }, { providerConfig: suite }) },
    quiet: {
      sub: people({}, { providerConfig: suite }),
      email: people({ userClaim: 'email' }, { providerConfig: suite }),
      'nothing fetched': people({ userClaim: 'name' }),
    },
  },
  'workspace-user-info': {
    error: { 'no schema': people({}, { providerConfig: { ...suite, fetchUserInfo: true } }) },
    quiet: {
      'a schema': people(
        {},
        { providerConfig: { ...suite, fetchUserInfo: true, userCustomSchemas: ['Work'] } },
      ),
    },
  },
  'workspace-scopes': {
    warning: {
      'a directory that can be written': ofKind(
        'workspace_suite',
        people({ oidcScopes: ['https://www.googleapis.com/auth/admin.directory.group'] }),
      ),
    },
    quiet: {
      'the two read-only ones': ofKind(
        'workspace_suite',
        people({
          oidcScopes: [
            'profile',
            'https://www.googleapis.com/auth/admin.directory.group.readonly',
            'https://www.googleapis.com/auth/admin.directory.user.readonly',
          ],
        }),
      ),
    },
  },
  'directory-alias-not-object-id': {
    error: {
      'a name': { ...people({}, directory), aliases: [{ name: 'admins', method: 'staff', group: 'admins' }] },
      'a name, where roles read groups': {
        ...people({ groupsClaim: '/groups', oidcScopes: [graph] }, directory),
        aliases: [{ name: 'admins', method: 'staff', group: 'admins' }],
      },
    },
    quiet: {
      'an object id': {
        ...people({}, directory),
        aliases: [{ name: guid, method: 'staff', group: 'admins' }],
      },
      'the value of an app role': {
        ...people({ groupsClaim: 'roles' }, directory),
        aliases: [{ name: 'Secrets.Admin', method: 'staff', group: 'admins' }],
      },
      'the value of an app role, by a pointer': {
        ...people({ groupsClaim: '/roles' }, directory),
        aliases: [{ name: 'Secrets.Admin', method: 'staff', group: 'admins' }],
      },
      'a name of another provider': { ...people(), aliases: [{ name: 'a', method: 'staff', group: 'b' }] },
    },
  },
  'directory-discovery-url': {
    error: {
      'no version': people({}, { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant' }),
      'a slash behind it': people({}, { oidcDiscoveryUrl: `${directory.oidcDiscoveryUrl}/` }),
    },
    quiet: { 'version 2.0': people({}, directory) },
  },
  'directory-scope': {
    error: {
      'groups without the graph’s scope': people(
        { groupsClaim: 'groups', oidcScopes: ['profile'] },
        directory,
      ),
      'groups from the directory without profile': people(
        { groupsClaim: 'groups', oidcScopes: [graph] },
        { ...directory, providerConfig: { provider: 'cloud_directory' } },
      ),
    },
    quiet: {
      'the graph’s scope': people({ groupsClaim: 'groups', oidcScopes: [graph] }, directory),
      'profile for the directory': people(
        { groupsClaim: 'groups', oidcScopes: ['profile'] },
        { ...directory, providerConfig: { provider: 'cloud_directory' } },
      ),
      'no groups': people({}, directory),
      'app roles': people({ groupsClaim: 'roles', oidcScopes: ['profile'] }, directory),
    },
  },
  'directory-many-groups': {
    info: { 'groups in tokens': people({ groupsClaim: 'groups', oidcScopes: [graph] }, directory) },
    quiet: {
      'app roles': people({ groupsClaim: 'roles' }, directory),
      'groups from the directory': people(
        { groupsClaim: 'groups' },
        { ...directory, providerConfig: { provider: 'cloud_directory' } },
      ),
    },
  },
  'realm-url': {
    error: {
      'the base URL': people({}, { oidcDiscoveryUrl: 'https://keycloak.example.com/auth' }),
      'a path below the realm': people({}, { oidcDiscoveryUrl: 'https://a.example/realms/m/x' }),
    },
    quiet: {
      'a realm': people({}, { oidcDiscoveryUrl: 'https://keycloak.example.com/auth/realms/main' }),
      'another provider': people(),
    },
  },
  'empty-groups-claim': {
    warning: {
      'a role that reads groups': people(
        { groupsClaim: 'groups' },
        { oidcDiscoveryUrl: 'https://id.example.com/realms/main' },
      ),
    },
    quiet: {
      'a role that reads none': people({}, { oidcDiscoveryUrl: 'https://id.example.com/realms/main' }),
    },
  },
  'default-server-audience': {
    error: { 'no audience': people({}, { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/default' }) },
    quiet: {
      'an audience': people(
        { boundAudiences: ['api://default'] },
        { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/default' },
      ),
      'another server': people({}, { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/aus1' }),
    },
  },
  'enterprise-profile-scope': {
    warning: { 'no scope': ofKind('enterprise_identity_provider', people()) },
    quiet: { profile: ofKind('enterprise_identity_provider', people({ oidcScopes: ['profile'] })) },
  },
  'hosted-algorithm': {
    error: { 'ES256 alone': ofKind('hosted_identity_platform', people({}, { jwtSupportedAlgs: ['ES256'] })) },
    quiet: {
      RS256: ofKind('hosted_identity_platform', people({}, { jwtSupportedAlgs: ['RS256'] })),
      'what the service takes by itself': ofKind('hosted_identity_platform', people()),
    },
  },
  'hosted-groups-claim': {
    error: {
      'a name of the platform': ofKind('hosted_identity_platform', people({ groupsClaim: 'groups' })),
      'a pointer to one': ofKind('hosted_identity_platform', people({ groupsClaim: '/roles' })),
      'a URL of the platform': ofKind(
        'hosted_identity_platform',
        people({ groupsClaim: 'https://example.eu.auth0.com/groups' }),
      ),
    },
    quiet: {
      'another name': ofKind('hosted_identity_platform', people({ groupsClaim: 'teams' })),
      'a URL that only ends like one': ofKind(
        'hosted_identity_platform',
        people({ groupsClaim: 'https://notauth0.com/groups' }),
      ),
      'a URL': ofKind('hosted_identity_platform', people({ groupsClaim: 'https://e.com/groups' })),
      'a pointer to one': ofKind(
        'hosted_identity_platform',
        people({ groupsClaim: '/https:~1~1e.com~1groups' }),
      ),
      'a bare name elsewhere': people({ groupsClaim: 'groups' }),
    },
  },
  'source-hosting-openid': {
    error: { 'another scope': ofKind('source_hosting', people({ oidcScopes: ['read_user'] })) },
    quiet: { openid: ofKind('source_hosting', people({ oidcScopes: ['openid'] })) },
  },
  'role-outlives-token': {
    warning: {
      'longer than declared': ofKind('container_orchestrator', workloads({ ttl: 601 }), {
        tokenSeconds: 600,
      }),
      'longer than usual': ofKind('container_orchestrator', workloads({ ttl: 3601 })),
    },
    quiet: {
      'as long as declared': ofKind('container_orchestrator', workloads({ ttl: 600 }), { tokenSeconds: 600 }),
      'other workloads': workloads({ ttl: 86_400 }),
    },
  },
};
