import { describe, expect, test } from '@jest/globals';
import { ruleIds } from '../../../core/model/rule-ids.ts';
import type { State } from '../../../core/model/state.ts';
import { judgeState, type RuleOptions, stateRules } from '../../../core/rules/rules.ts';
import { jwtMethod, jwtRole, message, oidcMethod, oidcRole, stateOf } from './state-fixture.ts';

const guid = '00000000-0000-0000-c000-000000000046';
const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;
const kind = (
  kind: NonNullable<RuleOptions['providers']>[string]['kind'],
  more: object = {},
): RuleOptions => ({
  providers: { staff: { kind }, ci: { kind, ...more } },
});
const suite = {
  provider: 'workspace_suite' as const,
  suiteServiceAccount: '/etc/key.json',
  suiteAdminImpersonate: 'admin@example.com',
  fetchGroups: true,
  fetchUserInfo: false,
  groupsRecurseMaxDepth: 0,
};
const directory = { oidcDiscoveryUrl: 'https://login.microsoftonline.com/tenant/v2.0' };
const graph = 'https://graph.microsoft.com/.default';

interface Case {
  /** What the rule objects to, and with which severity. */
  fires: [name: string, state: Partial<State>, severity: string, options?: RuleOptions][];
  /** What is like it and fine. */
  quiet: [name: string, state: Partial<State>, options?: RuleOptions][];
}

const people = (role: object = {}, config: object = {}) => ({
  methods: [oidcMethod(config)],
  roles: [oidcRole(role)],
});
const workloads = (role: object = {}, config: object = {}) => ({
  methods: [jwtMethod(config)],
  roles: [jwtRole(role)],
});
const messages = (...given: object[]) => ({ messages: given.map(message) });
const uris = (...allowedRedirectUris: string[]) => people({ allowedRedirectUris });
const cli = 'http://localhost:8250/oidc/callback';
const pages = 'https://secrets.example.com:8200/ui/vault/auth/staff/oidc/callback';

const cases: Record<string, Case> = Object.fromEntries(
  Object.entries({
    'jwt-role-without-audience': {
      fires: [
        ['a jwt role without audiences', workloads({ boundAudiences: undefined }), 'error'],
        ['a jwt role with an empty list', workloads({ boundAudiences: [] }), 'error'],
      ],
      quiet: [
        ['a jwt role with one', workloads()],
        ['an oidc role without', people()],
      ],
    },
    'shared-issuer-unbound': {
      fires: [
        [
          'a role of a cluster',
          workloads({ boundSubject: undefined }),
          'error',
          kind('container_orchestrator'),
        ],
        [
          'pipelines of everyone',
          workloads(
            { boundSubject: undefined },
            { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
          ),
          'error',
        ],
        [
          'a bare * glob',
          workloads(
            { boundSubject: undefined, boundClaims: { repository: ['*'] }, boundClaimsType: 'glob' },
            { boundIssuer: 'https://gitlab.com' },
          ),
          'error',
        ],
        ['an issuer of one’s own', workloads({ boundSubject: undefined }), 'warning'],
      ],
      quiet: [
        ['a subject', workloads({}, { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' })],
        ['a claim', workloads({ boundSubject: undefined, boundClaims: { project_id: '7' } })],
        [
          'a glob that names someone beside a bare one',
          workloads({
            boundSubject: undefined,
            boundClaims: { ref: '*', project_id: '7' },
            boundClaimsType: 'glob',
          }),
        ],
      ],
    },
    'bound-claim-not-text': {
      fires: [
        ['a boolean, as a service may hold it', workloads({ boundClaims: { admin: true } }), 'error'],
        ['a number in a list', workloads({ boundClaims: { id: ['a', 7] } }), 'error'],
        [
          '"true" for a claim that is a boolean',
          people({ boundClaims: { email_verified: 'true' } }),
          'error',
        ],
        ['"true" for any other', workloads({ boundClaims: { ref_protected: 'true' } }), 'warning'],
      ],
      quiet: [['texts, of digits too', workloads({ boundClaims: { project_id: '7', ref: ['main'] } })]],
    },
    'glob-not-enabled': {
      fires: [['a * among texts', workloads({ boundClaims: { ref: 'release/*' } }), 'warning']],
      quiet: [
        ['a glob', workloads({ boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' })],
        ['no *', workloads({ boundClaims: { ref: 'main' } })],
      ],
    },
    'mutable-bound-claim': {
      fires: [['a repository by its name', workloads({ boundClaims: { repository: 'a/b' } }), 'info']],
      quiet: [['a repository by its id', workloads({ boundClaims: { repository_id: '7' } })]],
    },
    'aliases-collide': {
      fires: [
        [
          'two aliases of a group',
          {
            aliases: [
              { name: 'a', method: 'staff', group: 'admins' },
              { name: 'b', method: 'ci', group: 'Admins' },
            ],
          },
          'error',
        ],
        [
          'one alias twice on a method',
          {
            aliases: [
              { name: 'a', method: 'staff', group: 'admins' },
              { name: 'A', method: 'staff', group: 'users' },
            ],
          },
          'error',
        ],
      ],
      quiet: [
        [
          'one name on two methods, for two groups',
          {
            aliases: [
              { name: 'a', method: 'staff', group: 'admins' },
              { name: 'a', method: 'ci', group: 'users' },
            ],
          },
        ],
      ],
    },
    'mutable-user-claim': {
      fires: [
        ['email with policies of its own', people({ userClaim: 'email' }), 'warning'],
        [
          'email with the default policy alone',
          people({ userClaim: 'email', policies: ['default'] }),
          'info',
        ],
      ],
      quiet: [['sub', people()]],
    },
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
        [
          'a name of another provider',
          { ...people(), aliases: [{ name: 'a', method: 'staff', group: 'b' }] },
        ],
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
      fires: [
        ['groups in tokens', people({ groupsClaim: 'groups', oidcScopes: [graph] }, directory), 'info'],
      ],
      quiet: [
        [
          'groups from the directory',
          people(
            { groupsClaim: 'groups' },
            { ...directory, providerConfig: { provider: 'cloud_directory' } },
          ),
        ],
      ],
    },
    'redirect-uri-missing': {
      fires: [
        ['none', people({ allowedRedirectUris: undefined }), 'error'],
        ['only the pages', uris(pages), 'error'],
        ['only the command line', uris(cli), 'error'],
      ],
      quiet: [
        ['both', people()],
        ['another loopback and port', uris('http://127.0.0.1:9999/oidc/callback', pages)],
        ['a jwt role', workloads()],
      ],
    },
    'redirect-uri-other-method': {
      fires: [
        [
          'the path of another mount',
          uris(cli, pages, 'https://secrets.example.com:8200/ui/vault/auth/oidc/oidc/callback'),
          'error',
        ],
      ],
      quiet: [
        ['its own', people()],
        ['something else altogether', uris(cli, pages, 'https://secrets.example.com:8200/elsewhere')],
      ],
    },
    'redirect-uri-plain-http': {
      fires: [['http on a host', uris(cli, pages.replace('https:', 'http:')), 'error']],
      quiet: [
        ['https, and http on loopback', uris(cli, pages, 'http://[::1]:8250/oidc/callback')],
        ['http on a name of loopback', uris('http://it.localhost:8250/oidc/callback', pages)],
      ],
    },
    'redirect-uri-other-host': {
      fires: [
        ['another host', uris(cli, pages, pages.replace('example', 'evil')), 'warning', { service }],
        [
          'another port of this machine, with a page’s path',
          uris(cli, 'http://127.0.0.1:1/ui/vault/auth/staff/oidc/callback'),
          'warning',
          { service },
        ],
      ],
      quiet: [
        ['the service’s own', people(), { service }],
        [
          'where its pages are',
          uris(cli, pages.replace('secrets', 'pages')),
          { service: { ...service, uiAddress: 'https://pages.example.com:8200' } },
        ],
        ['a service that nobody named', uris(cli, pages.replace('example', 'evil'))],
      ],
    },
    'form-post-callback': {
      fires: [['pages alone', people({}, { oidcResponseMode: 'form_post' }), 'warning']],
      quiet: [
        [
          'the service’s own callback',
          people(
            {
              allowedRedirectUris: [
                cli,
                pages,
                'https://secrets.example.com:8200/v1/auth/staff/oidc/callback',
              ],
            },
            { oidcResponseMode: 'form_post' },
          ),
        ],
        ['an answer in the query', people()],
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
        [
          'ES256 alone',
          people({}, { jwtSupportedAlgs: ['ES256'] }),
          'error',
          kind('hosted_identity_platform'),
        ],
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
        [
          'as long as declared',
          workloads({ ttl: 600 }),
          kind('container_orchestrator', { tokenSeconds: 600 }),
        ],
        ['other workloads', workloads({ ttl: 86_400 })],
      ],
    },
    'well-known-url': {
      fires: [
        [
          'a document’s URL',
          people({}, { oidcDiscoveryUrl: 'https://id.example.com/.well-known/openid-configuration' }),
          'error',
        ],
      ],
      quiet: [['an issuer', people()]],
    },
    'key-source': {
      fires: [
        ['two', workloads({}, { jwksUrl: 'https://ci.example.com/keys' }), 'error'],
        ['none', workloads({}, { oidcDiscoveryUrl: undefined }), 'error'],
      ],
      quiet: [['one', workloads({}, { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['pem'] })]],
    },
    'mixed-case-name': {
      fires: [
        ['a role', people({ name: 'Reader' }), 'warning'],
        ['a default role', people({}, { defaultRole: 'Reader' }), 'warning'],
      ],
      quiet: [['lower case', people({}, { defaultRole: 'reader' })]],
    },
    'default-role-missing': {
      fires: [['a role that is not there', people({}, { defaultRole: 'other' }), 'error']],
      quiet: [
        ['one that is', people({}, { defaultRole: 'reader' })],
        ['a method whose roles nobody knows', { methods: [oidcMethod({ defaultRole: 'other' })] }],
      ],
    },
    'reserved-metadata-key': {
      fires: [['role', people({ claimMappings: { job: 'role' } }), 'error']],
      quiet: [['another', people({ claimMappings: { role: 'job' } })]],
    },
    'list-claim-mapping': {
      fires: [
        ['groups', people({ claimMappings: { groups: 'teams' } }), 'error'],
        ['a pointer to the audience', people({ claimMappings: { '/aud': 'audience' } }), 'error'],
      ],
      quiet: [['a text', people({ claimMappings: { preferred_username: 'username' } })]],
    },
    'oidc-role-on-jwt-method': {
      fires: [
        ['no client', { methods: [jwtMethod()], roles: [oidcRole({ method: 'ci' })] }, 'error'],
        [
          'a client on a mount of type jwt',
          { methods: [jwtMethod({ oidcClientId: 'client' })], roles: [oidcRole({ method: 'ci' })] },
          'warning',
        ],
      ],
      quiet: [
        ['a mount of type oidc', people()],
        ['a client that is yet to be made', people({}, { oidcClientId: undefined })],
      ],
    },
    'unsafe-algorithm': {
      fires: [
        ['none', workloads({}, { jwtSupportedAlgs: ['RS256', 'none'] }), 'error'],
        ['a shared secret', workloads({}, { jwtSupportedAlgs: ['RS256', 'HS256'] }), 'error'],
      ],
      quiet: [['signatures', workloads({}, { jwtSupportedAlgs: ['RS256', 'EdDSA'] })]],
    },
    'rs256-missing': {
      fires: [['ES256 alone', workloads({}, { jwtSupportedAlgs: ['ES256'] }), 'warning']],
      quiet: [['with RS256', workloads({}, { jwtSupportedAlgs: ['ES256', 'RS256'] })]],
    },
    'direct-callback': {
      fires: [['direct', people({ callbackMode: 'direct' }), 'error']],
      quiet: [['client', people({ callbackMode: 'client' })]],
    },
    'root-policy': {
      fires: [
        ['a role', people({ policies: [' ROOT '] }), 'error'],
        ['a group', { groups: [{ name: 'admins', policies: ['Root'] }] }, 'error'],
      ],
      quiet: [['a name with root in it', people({ policies: ['root-ca'] })]],
    },
    'message-reveals': {
      fires: [
        ['a token', messages({ authenticated: false, message: `hvs.${'x'.repeat(24)}` }), 'error'],
        ['a password', messages({ authenticated: false, message: 'The password is hunter22.' }), 'error'],
        ['an internal host', messages({ authenticated: false, message: 'See wiki.corp' }), 'warning'],
        [
          'an internal address in the link',
          messages({ authenticated: false, link: { Wiki: 'http://10.0.0.1/' } }),
          'warning',
        ],
      ],
      quiet: [
        ['the same after sign-in', messages({ message: 'See wiki.corp' })],
        ['words about secrets', messages({ authenticated: false, message: 'Never tell anyone a secret.' })],
      ],
    },
    'message-times': {
      fires: [['an end before the start', messages({ endTime: '2025-01-01T00:00:00Z' }), 'error']],
      quiet: [
        ['an end after it', messages({ endTime: '2027-01-01T00:00:00+01:00' })],
        ['no end', messages({})],
      ],
    },
    'message-link': {
      fires: [['two', messages({ link: { a: 'https://a.example', b: 'https://b.example' } }), 'error']],
      quiet: [['one', messages({ link: { a: 'https://a.example' } })]],
    },
    'too-many-messages': {
      fires: [['101', messages(...Array.from({ length: 101 }, (_, at) => ({ title: `${at}` }))), 'error']],
      quiet: [['100', messages(...Array.from({ length: 100 }, (_, at) => ({ title: `${at}` })))]],
    },
  } satisfies Record<string, Case>),
);

const findings = (rule: string, state: Partial<State>, options?: RuleOptions) =>
  judgeState(stateOf(state), options).filter((finding) => finding.rule === rule);

describe.each(stateRules.map(({ id }) => id))('%s', (id) => {
  test.each(cases[id]?.fires ?? [])('objects to %s', (_, state, severity, options = {}) => {
    expect(findings(id, state, options)).toEqual([
      expect.objectContaining({ rule: id, severity, docs: `docs/rules.md#${id}` }),
    ]);
  });

  test.each(cases[id]?.quiet ?? [])('says nothing of %s', (_, state, options = {}) => {
    expect(findings(id, state, options)).toEqual([]);
  });
});

describe('the rules over a state', () => {
  test('each have a case that fires and one that does not', () => {
    expect(Object.keys(cases).sort()).toEqual(stateRules.map(({ id }) => id).sort());
    const bare = Object.entries(cases).filter(([, { fires, quiet }]) => fires.length * quiet.length === 0);
    expect(bare).toEqual([]);
  });

  test('say nothing of a method and role that are as they should be', () => {
    const both = { methods: [oidcMethod(), jwtMethod()], roles: [oidcRole(), jwtRole()] };
    expect(judgeState(stateOf(both), { service })).toEqual([]);
  });

  test('are left out by their ids', () => {
    const state = stateOf(people({ userClaim: 'email' }));
    expect(judgeState(state, { off: { 'mutable-user-claim': 'addresses are never given twice' } })).toEqual(
      [],
    );
  });

  test('find the worst first', () => {
    const state = stateOf(people({ userClaim: 'email', allowedRedirectUris: [] }));
    expect(judgeState(state).map(({ severity }) => severity)).toEqual(['error', 'warning']);
  });

  test('have ids that an environment can name', () => {
    expect(ruleIds.filter((id) => stateRules.some((rule) => rule.id === id))).toEqual(
      stateRules.map(({ id }) => id),
    );
  });
});
