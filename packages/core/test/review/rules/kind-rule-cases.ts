import { workspaceSuite as suite } from './graph-fixture.ts';
import { type Case, type Judged, ofKind, people, workloads } from './rule-case.ts';

const guid = '00000000-0000-0000-c000-000000000046';
const directory = { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant/v2.0' };
const graph = 'https://graph.microsoft.com/.default';
/** People of a directory, whose groups are in tokens, or are fetched. */
const ofDirectory = (role: object = {}) => people(role, directory);
const fetching = (role: object) =>
  people(role, { ...directory, providerConfig: { provider: 'cloud_directory' } });
const aliased = (name: string, of: Judged) => ({
  ...of,
  aliases: [{ name, method: 'staff', group: 'admins' }],
});
const ofSuite = (role: object = {}, config: object = {}) =>
  people(role, { providerConfig: { ...suite, ...config } });
const hosted = (role: object = {}, config: object = {}) =>
  ofKind('hosted_identity_platform', people(role, config));
const at = (oidcDiscoveryUrl: string, role: object = {}) => people(role, { oidcDiscoveryUrl });
const scopes = (...names: string[]) => ({
  oidcScopes: names.map((name) =>
    name.startsWith('admin.') ? `https://www.googleapis.com/auth/${name}` : name,
  ),
});

/** Rules over a graph that speak of one kind of provider. */
export const kindRuleCases: Record<string, Case<Judged, Judged>> = {
  'workspace-groups-not-fetched': {
    error: {
      'no directory': ofKind('workspace_suite', people({ groupsClaim: 'groups' })),
      'a directory without fetch_groups': ofSuite({ groupsClaim: 'groups' }, { fetchGroups: false }),
    },
    quiet: {
      'fetched groups': ofSuite({ groupsClaim: 'groups' }),
      'no groups claim': ofKind('workspace_suite', people()),
    },
  },
  'workspace-user-claim': {
    error: { 'another claim': ofSuite({ userClaim: 'name' }) },
    quiet: {
      sub: ofSuite(),
      email: ofSuite({ userClaim: 'email' }),
      'nothing fetched': people({ userClaim: 'name' }),
    },
  },
  'workspace-user-info': {
    error: { 'no schema': ofSuite({}, { fetchUserInfo: true }) },
    quiet: { 'a schema': ofSuite({}, { fetchUserInfo: true, userCustomSchemas: ['Work'] }) },
  },
  'workspace-scopes': {
    warning: {
      'a directory that can be written': ofKind('workspace_suite', people(scopes('admin.directory.group'))),
    },
    quiet: {
      'the two read-only ones': ofKind(
        'workspace_suite',
        people(scopes('profile', 'admin.directory.group.readonly', 'admin.directory.user.readonly')),
      ),
    },
  },
  'directory-alias-not-object-id': {
    error: {
      'a name': aliased('admins', ofDirectory()),
      'a name, where roles read groups': aliased(
        'admins',
        ofDirectory({ groupsClaim: '/groups', oidcScopes: [graph] }),
      ),
    },
    quiet: {
      'an object id': aliased(guid, ofDirectory()),
      'the value of an app role': aliased('Secrets.Admin', ofDirectory({ groupsClaim: 'roles' })),
      'the value of an app role, by a pointer': aliased(
        'Secrets.Admin',
        ofDirectory({ groupsClaim: '/roles' }),
      ),
      'a name of another provider': aliased('a', people()),
    },
  },
  'directory-discovery-url': {
    error: {
      'no version': at('https://login.microsoftonline.com/tenant'),
      'a slash behind it': at(`${directory.oidcDiscoveryUrl}/`),
    },
    quiet: { 'version 2.0': ofDirectory() },
  },
  'directory-scope': {
    error: {
      'groups without the graph’s scope': ofDirectory({ groupsClaim: 'groups', ...scopes('profile') }),
      'groups from the directory without profile': fetching({ groupsClaim: 'groups', oidcScopes: [graph] }),
    },
    quiet: {
      'the graph’s scope': ofDirectory({ groupsClaim: 'groups', oidcScopes: [graph] }),
      'profile for the directory': fetching({ groupsClaim: 'groups', ...scopes('profile') }),
      'no groups': ofDirectory(),
      'app roles': ofDirectory({ groupsClaim: 'roles', ...scopes('profile') }),
    },
  },
  'directory-many-groups': {
    info: { 'groups in tokens': ofDirectory({ groupsClaim: 'groups', oidcScopes: [graph] }) },
    quiet: {
      'app roles': ofDirectory({ groupsClaim: 'roles' }),
      'groups from the directory': fetching({ groupsClaim: 'groups' }),
    },
  },
  'realm-url': {
    error: {
      'the base URL': at('https://keycloak.example.com/auth'),
      'a path below the realm': at('https://a.example/realms/m/x'),
    },
    quiet: { 'a realm': at('https://keycloak.example.com/auth/realms/main'), 'another provider': people() },
  },
  'empty-groups-claim': {
    warning: {
      'a role that reads groups': at('https://id.example.com/realms/main', { groupsClaim: 'groups' }),
    },
    quiet: { 'a role that reads none': at('https://id.example.com/realms/main') },
  },
  'default-server-audience': {
    error: { 'no audience': at('https://example.okta.com/oauth2/default') },
    quiet: {
      'an audience': at('https://example.okta.com/oauth2/default', { boundAudiences: ['api://default'] }),
      'another server': at('https://example.okta.com/oauth2/aus1'),
    },
  },
  'enterprise-profile-scope': {
    warning: { 'no scope': ofKind('enterprise_identity_provider', people()) },
    quiet: { profile: ofKind('enterprise_identity_provider', people({ oidcScopes: ['profile'] })) },
  },
  'hosted-algorithm': {
    error: { 'ES256 alone': hosted({}, { jwtSupportedAlgs: ['ES256'] }) },
    quiet: {
      RS256: hosted({}, { jwtSupportedAlgs: ['RS256'] }),
      'what the service takes by itself': hosted(),
    },
  },
  'hosted-groups-claim': {
    error: {
      'a name of the platform': hosted({ groupsClaim: 'groups' }),
      'a pointer to one': hosted({ groupsClaim: '/roles' }),
      'a URL of the platform': hosted({ groupsClaim: 'https://example.eu.auth0.com/groups' }),
    },
    quiet: {
      'another name': hosted({ groupsClaim: 'teams' }),
      'a URL that only ends like one': hosted({ groupsClaim: 'https://notauth0.com/groups' }),
      'a URL': hosted({ groupsClaim: 'https://e.com/groups' }),
      'a pointer to one': hosted({ groupsClaim: '/https:~1~1e.com~1groups' }),
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
