import { workspaceSuite as suite } from './graph-fixture.ts';
import { type Case, kind, people, workloads } from './rule-case.ts';

const guid = '00000000-0000-0000-c000-000000000046';
const directory = { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant/v2.0' };
const graph = 'https://graph.microsoft.com/.default';

/** Rules over a graph that speak of one kind of provider. */
export const kindRuleCases: Record<string, Case> = {
  'workspace-groups-not-fetched': {
    fires: [
      ['no directory', people({ groupsClaim: 'groups' }), 'error', kind('workspace_suite')],
      [
        'a directory without fetch_groups',
        people({ groupsClaim: 'groups' }, { providerConfig: { ...suite, fetchGroups: false } }),
        'error',
      ],
    ],
    quiet: [
      ['fetched groups', people({ groupsClaim: 'groups' }, { providerConfig: suite })],
      ['no groups claim', people(), kind('workspace_suite')],
    ],
  },
  'workspace-user-claim': {
    fires: [['another claim', people({ userClaim: 'name' }, { providerConfig: suite }), 'error']],
    quiet: [
      ['sub', people({}, { providerConfig: suite })],
      ['email', people({ userClaim: 'email' }, { providerConfig: suite })],
      ['nothing fetched', people({ userClaim: 'name' })],
    ],
  },
  'workspace-user-info': {
    fires: [['no schema', people({}, { providerConfig: { ...suite, fetchUserInfo: true } }), 'error']],
    quiet: [
      [
        'a schema',
        people({}, { providerConfig: { ...suite, fetchUserInfo: true, userCustomSchemas: ['Work'] } }),
      ],
    ],
  },
  'workspace-scopes': {
    fires: [
      [
        'a directory that can be written',
        people({ oidcScopes: ['https://www.googleapis.com/auth/admin.directory.group'] }),
        'warning',
        kind('workspace_suite'),
      ],
    ],
    quiet: [
      [
        'the two read-only ones',
        people({
          oidcScopes: [
            'profile',
            'https://www.googleapis.com/auth/admin.directory.group.readonly',
            'https://www.googleapis.com/auth/admin.directory.user.readonly',
          ],
        }),
        kind('workspace_suite'),
      ],
    ],
  },
  'directory-alias-not-object-id': {
    fires: [
      [
        'a name',
        { ...people({}, directory), aliases: [{ name: 'admins', method: 'staff', group: 'admins' }] },
        'error',
      ],
    ],
    quiet: [
      [
        'an object id',
        { ...people({}, directory), aliases: [{ name: guid, method: 'staff', group: 'admins' }] },
      ],
      ['a name of another provider', { ...people(), aliases: [{ name: 'a', method: 'staff', group: 'b' }] }],
    ],
  },
  'directory-discovery-url': {
    fires: [
      ['no version', people({}, { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant' }), 'error'],
      ['a slash behind it', people({}, { oidcDiscoveryUrl: `${directory.oidcDiscoveryUrl}/` }), 'error'],
    ],
    quiet: [['version 2.0', people({}, directory)]],
  },
  'directory-scope': {
    fires: [
      [
        'groups without the graph’s scope',
        people({ groupsClaim: 'groups', oidcScopes: ['profile'] }, directory),
        'error',
      ],
      [
        'groups from the directory without profile',
        people(
          { groupsClaim: 'groups', oidcScopes: [graph] },
          { ...directory, providerConfig: { provider: 'cloud_directory' } },
        ),
        'error',
      ],
    ],
    quiet: [
      ['the graph’s scope', people({ groupsClaim: 'groups', oidcScopes: [graph] }, directory)],
      [
        'profile for the directory',
        people(
          { groupsClaim: 'groups', oidcScopes: ['profile'] },
          { ...directory, providerConfig: { provider: 'cloud_directory' } },
        ),
      ],
      ['no groups', people({}, directory)],
    ],
  },
  'directory-many-groups': {
    fires: [['groups in tokens', people({ groupsClaim: 'groups', oidcScopes: [graph] }, directory), 'info']],
    quiet: [
      [
        'groups from the directory',
        people({ groupsClaim: 'groups' }, { ...directory, providerConfig: { provider: 'cloud_directory' } }),
      ],
    ],
  },
  'realm-url': {
    fires: [
      ['the base URL', people({}, { oidcDiscoveryUrl: 'https://keycloak.example.com/auth' }), 'error'],
      ['a path below the realm', people({}, { oidcDiscoveryUrl: 'https://a.example/realms/m/x' }), 'error'],
    ],
    quiet: [
      ['a realm', people({}, { oidcDiscoveryUrl: 'https://keycloak.example.com/auth/realms/main' })],
      ['another provider', people()],
    ],
  },
  'empty-groups-claim': {
    fires: [
      [
        'a role that reads groups',
        people({ groupsClaim: 'groups' }, { oidcDiscoveryUrl: 'https://id.example.com/realms/main' }),
        'warning',
      ],
    ],
    quiet: [
      ['a role that reads none', people({}, { oidcDiscoveryUrl: 'https://id.example.com/realms/main' })],
    ],
  },
  'default-server-audience': {
    fires: [
      ['no audience', people({}, { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/default' }), 'error'],
    ],
    quiet: [
      [
        'an audience',
        people(
          { boundAudiences: ['api://default'] },
          { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/default' },
        ),
      ],
      ['another server', people({}, { oidcDiscoveryUrl: 'https://example.okta.com/oauth2/aus1' })],
    ],
  },
  'enterprise-profile-scope': {
    fires: [['no scope', people(), 'warning', kind('enterprise_identity_provider')]],
    quiet: [['profile', people({ oidcScopes: ['profile'] }), kind('enterprise_identity_provider')]],
  },
  'hosted-algorithm': {
    fires: [
      ['ES256 alone', people({}, { jwtSupportedAlgs: ['ES256'] }), 'error', kind('hosted_identity_platform')],
    ],
    quiet: [
      ['RS256', people({}, { jwtSupportedAlgs: ['RS256'] }), kind('hosted_identity_platform')],
      ['what the service takes by itself', people(), kind('hosted_identity_platform')],
    ],
  },
  'hosted-groups-claim': {
    fires: [['a bare name', people({ groupsClaim: 'groups' }), 'error', kind('hosted_identity_platform')]],
    quiet: [
      ['a URL', people({ groupsClaim: 'https://e.com/groups' }), kind('hosted_identity_platform')],
      [
        'a pointer to one',
        people({ groupsClaim: '/https:~1~1e.com~1groups' }),
        kind('hosted_identity_platform'),
      ],
      ['a bare name elsewhere', people({ groupsClaim: 'groups' })],
    ],
  },
  'source-hosting-openid': {
    fires: [['another scope', people({ oidcScopes: ['read_user'] }), 'error', kind('source_hosting')]],
    quiet: [['openid', people({ oidcScopes: ['openid'] }), kind('source_hosting')]],
  },
  'role-outlives-token': {
    fires: [
      [
        'longer than declared',
        workloads({ ttl: 601 }),
        'warning',
        kind('container_orchestrator', { tokenSeconds: 600 }),
      ],
      ['longer than usual', workloads({ ttl: 3601 }), 'warning', kind('container_orchestrator')],
    ],
    quiet: [
      ['as long as declared', workloads({ ttl: 600 }), kind('container_orchestrator', { tokenSeconds: 600 })],
      ['other workloads', workloads({ ttl: 86_400 })],
    ],
  },
};
