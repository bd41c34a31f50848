import type { Graph } from '../../../core/model/graph.ts';
import { jwtMethod, jwtRole, message, oidcMethod, oidcRole } from './graph-fixture.ts';
import { type Case, people, workloads } from './rule-case.ts';

const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;
const messages = (...given: object[]) => ({ messages: given.map(message) });
const uris = (...allowedRedirectUris: string[]) => people({ allowedRedirectUris });
const cli = 'http://localhost:8250/oidc/callback';
const pages = 'https://secrets.example.com:8200/ui/vault/auth/staff/oidc/callback';

const withPolicies = (more: Partial<Graph>): Partial<Graph> => ({
  policies: [{ name: 'secrets-read', text: '' }],
  ...more,
});

/** Rules over a graph, whatever the kinds of its providers. */
export const graphRuleCases: Record<string, Case> = {
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
  'bound-claim-not-text': {
    fires: [
      ['a boolean where CI sends a text', workloads({ boundClaims: { ref_protected: true } }), 'warning'],
      ['a number where CI sends a text', workloads({ boundClaims: { project_id: ['7', 7] } }), 'warning'],
      ['"true" for a claim that is a boolean', people({ boundClaims: { email_verified: 'true' } }), 'error'],
      ['"true" for any other', workloads({ boundClaims: { admin: 'true' } }), 'warning'],
    ],
    quiet: [
      ['texts, of digits too', workloads({ boundClaims: { project_id: '7', ref: ['main'] } })],
      ['"true" where CI sends a text', workloads({ boundClaims: { ref_protected: 'true' } })],
      ['booleans and numbers', people({ boundClaims: { email_verified: true, level: [1, 2] } })],
    ],
  },
  'glob-not-enabled': {
    fires: [['a * among texts', workloads({ boundClaims: { ref: 'release/*' } }), 'warning']],
    quiet: [
      ['a glob', workloads({ boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' })],
      ['no *', workloads({ boundClaims: { ref: 'main' } })],
    ],
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
      ['email with the default policy alone', people({ userClaim: 'email', policies: ['default'] }), 'info'],
    ],
    quiet: [['sub', people()]],
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
      [
        'where the pages of runs are',
        uris(cli, pages, 'https://gatehouse.example.com/ui/sign-in/callback'),
        { service: { ...service, platformAddress: 'https://gatehouse.example.com' } },
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
            allowedRedirectUris: [cli, pages, 'https://secrets.example.com:8200/v1/auth/staff/oidc/callback'],
          },
          { oidcResponseMode: 'form_post' },
        ),
      ],
      ['an answer in the query', people()],
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
    quiet: [
      ['one', workloads({}, { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['pem'] })],
      [
        'several addresses',
        workloads({}, { oidcDiscoveryUrl: undefined, jwksPairs: [{ jwks_url: 'https://a.example' }] }),
      ],
    ],
  },
  'keys-of-several-issuers': {
    fires: [
      [
        'keys of two addresses, whatever issuer is bound',
        workloads(
          {},
          {
            ...{ oidcDiscoveryUrl: undefined, boundIssuer: 'https://a.example' },
            jwksPairs: [{ jwks_url: 'https://a.example' }, { jwks_url: 'https://b.example' }],
          },
        ),
        'warning',
      ],
      [
        'two public keys of any issuer',
        workloads({}, { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['one', 'two'] }),
        'warning',
      ],
    ],
    quiet: [
      ['one public key', workloads({}, { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: ['one'] })],
      [
        'the old and the new key of an issuer',
        workloads(
          {},
          {
            ...{ oidcDiscoveryUrl: undefined, boundIssuer: 'https://a.example' },
            jwtValidationPubkeys: ['one', 'two'],
          },
        ),
      ],
      [
        'one address twice',
        workloads(
          {},
          {
            oidcDiscoveryUrl: undefined,
            jwksPairs: [{ jwks_url: 'https://a.example' }, { jwks_url: 'https://a.example' }],
          },
        ),
      ],
    ],
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
  'policy-unknown': {
    fires: [
      [
        'a misspelled policy of a role',
        withPolicies({ roles: [oidcRole({ policies: ['secrets-raed'] })] }),
        'warning',
      ],
      ['one of a group', withPolicies({ groups: [{ name: 'g', policies: ['other'] }] }), 'warning'],
      [
        'one that many give, once',
        withPolicies({
          roles: [oidcRole({ policies: ['other'] }), jwtRole({ policies: ['Other'] })],
          groups: [{ name: 'g', policies: ['other'] }],
        }),
        'warning',
      ],
    ],
    quiet: [
      [
        'one that is declared, in other letters',
        withPolicies({ roles: [oidcRole({ policies: ['Secrets-Read'] })] }),
      ],
      ['the built-in one', withPolicies({ roles: [oidcRole({ policies: ['default'] })] })],
      ['names where no policy is declared', { roles: [oidcRole({ policies: ['other'] })] }],
      ['one that a claim completes', withPolicies({ roles: [oidcRole({ policies: ['team-{{team}}'] })] })],
    ],
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
};
