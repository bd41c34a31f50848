import type { Graph } from '../../../src/graph/graph.ts';
import { keyPem, otherKeyPem } from '../../pems.ts';
import { graph } from '../../worlds.ts';
import { jwtMethod, jwtRole, message, oidcMethod, oidcRole } from './graph-fixture.ts';
import { type Case, type Judged, people, workloads } from './rule-case.ts';

const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;
const messages = (...given: object[]) => ({ messages: given.map(message) });
const uris = (...allowedRedirectUris: string[]) => people({ allowedRedirectUris });
const cli = 'http://localhost:8250/oidc/callback';
const host = 'https://secrets.example.com:8200';
const pages = `${host}/ui/vault/auth/staff/oidc/callback`;
const ofNamespace = `${pages}?namespace=a`;
const ofService = (judged: Judged, addresses: object = {}): Judged => ({
  ...judged,
  options: { service: { ...service, ...addresses } },
});
/** Workloads with these sources of keys alone. */
const keys = (config: object) => workloads({}, { oidcDiscoveryUrl: undefined, ...config });
const pairs = (...urls: string[]) => urls.map((jwks_url) => ({ jwks_url }));

const withPolicies = (rest: Partial<Graph>): Partial<Graph> => ({
  policies: [{ name: 'secrets-read', text: 'path "a" {}' }],
  ...rest,
});

/** Rules over a graph, whatever the kinds of its providers. */
export const graphRuleCases: Record<string, Case<Judged, Judged>> = {
  'jwt-role-without-audience': {
    error: {
      'a jwt role without audiences': workloads({ boundAudiences: undefined }),
      'a jwt role with an empty list': workloads({ boundAudiences: [] }),
    },
    quiet: { 'a jwt role with one': workloads(), 'an oidc role without': people() },
  },
  'bound-claim-not-text': {
    warning: {
      'a boolean where CI sends a text': workloads({ boundClaims: { ref_protected: true } }),
      'a number where CI sends a text': workloads({ boundClaims: { project_id: ['7', 7] } }),
      '"true" for any other': workloads({ boundClaims: { admin: 'true' } }),
    },
    error: { '"true" for a claim that is a boolean': people({ boundClaims: { email_verified: 'true' } }) },
    quiet: {
      'texts, of digits too': workloads({ boundClaims: { project_id: '7', ref: ['main'] } }),
      '"true" where CI sends a text': workloads({ boundClaims: { ref_protected: 'true' } }),
      'booleans and numbers': people({ boundClaims: { email_verified: true, level: [1, 2] } }),
    },
  },
  'glob-not-enabled': {
    warning: { 'a * among texts': workloads({ boundClaims: { ref: 'release/*' } }) },
    quiet: {
      'a glob': workloads({ boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' }),
      'no *': workloads({ boundClaims: { ref: 'main' } }),
    },
  },
  'aliases-collide': {
    error: {
      'two aliases of a group': graph('alias a staff admins\n alias b ci Admins'),
      'one alias twice on a method': graph('alias a staff admins\n alias A staff users'),
    },
    quiet: {
      'one name on two methods, for two groups': graph('alias a staff admins\n alias a ci users'),
    },
  },
  'mutable-user-claim': {
    warning: { 'email with policies of its own': people({ userClaim: 'email' }) },
    info: { 'email with the default policy alone': people({ userClaim: 'email', policies: ['default'] }) },
    quiet: { sub: people() },
  },
  'redirect-uri-missing': {
    error: {
      none: people({ allowedRedirectUris: undefined }),
      'only the pages': uris(pages),
      'only the command line': uris(cli),
      'pages with a namespace, which the server takes out before it compares': uris(cli, ofNamespace),
    },
    quiet: {
      both: people(),
      'pages with a namespace that does not travel in the state': {
        ...uris(cli, ofNamespace),
        methods: [oidcMethod({ namespaceInState: false })],
      },
      'another loopback and port': uris('http://127.0.0.1:9999/oidc/callback', pages),
      'a jwt role': workloads(),
    },
  },
  'redirect-uri-other-method': {
    error: { 'the path of another mount': uris(cli, pages, pages.replace('staff', 'oidc')) },
    quiet: { 'its own': people(), 'something else altogether': uris(cli, pages, `${host}/elsewhere`) },
  },
  'redirect-uri-plain-http': {
    error: { 'http on a host': uris(cli, pages.replace('https:', 'http:')) },
    quiet: {
      'https, and http on loopback': uris(cli, pages, 'http://[::1]:8250/oidc/callback'),
      'http on a name of loopback': uris('http://it.localhost:8250/oidc/callback', pages),
    },
  },
  'redirect-uri-other-host': {
    warning: {
      'another host': ofService(uris(cli, pages, pages.replace('example', 'evil'))),
      'another port of this machine, with a page’s path': ofService(
        uris(cli, 'http://127.0.0.1:1/ui/vault/auth/staff/oidc/callback'),
      ),
    },
    quiet: {
      'the service’s own': ofService(people()),
      'where its pages are': ofService(uris(cli, pages.replace('secrets', 'pages')), {
        uiAddress: 'https://pages.example.com:8200',
      }),
      'where the pages of runs are': ofService(
        uris(cli, pages, 'https://gatehouse.example.com/ui/sign-in/callback'),
        { platformAddress: 'https://gatehouse.example.com' },
      ),
      'a service that nobody named': uris(cli, pages.replace('example', 'evil')),
    },
  },
  'form-post-callback': {
    warning: { 'pages alone': people({}, { oidcResponseMode: 'form_post' }) },
    quiet: {
      'the service’s own callback': people(
        { allowedRedirectUris: [cli, pages, `${host}/v1/auth/staff/oidc/callback`] },
        { oidcResponseMode: 'form_post' },
      ),
      'an answer in the query': people(),
    },
  },
  refused: {
    error: {
      'a claim mapped to `role`': people({ claimMappings: { job: 'role' } }),
      'a private key': keys({ jwtValidationPubkeys: ['-----BEGIN PRIVATE KEY-----'] }),
      'an issuer with a password': people({}, { oidcDiscoveryUrl: 'https://a:b@id.example.com' }),
      'a role for workloads that binds nothing': workloads({
        boundAudiences: [],
        boundSubject: undefined,
        boundClaims: undefined,
      }),
      'a `ttl` above the maximum': people({ ttl: 7200, tokenMaxTtl: 3600 }),
      'the text of a policy': { policies: [{ name: 'a', text: 'path "a" { capabilites = ["read"] }' }] },
      'the path of the service’s own method': { methods: [{ ...oidcMethod(), path: 'token' }] },
    },
    quiet: {
      'another claim': people({ claimMappings: { role: 'job' } }),
      'a public key': keys({ jwtValidationPubkeys: [keyPem] }),
      'a key that a plan hides': keys({ jwtValidationPubkeys: ['(hidden 1)'] }),
      'what Vault alone takes': {
        policies: [{ name: 'a', text: 'path "a" { capabilities = ["subscribe"] }' }],
      },
    },
  },
  'well-known-url': {
    error: {
      'a document’s URL': people(
        {},
        { boundIssuer: 'https://id.example.com/.well-known/openid-configuration' },
      ),
    },
    quiet: { 'an issuer': people() },
  },
  'key-source': {
    error: {
      two: workloads({}, { jwksUrl: 'https://ci.example.com/keys' }),
      none: keys({}),
    },
    quiet: {
      one: keys({ jwtValidationPubkeys: [keyPem] }),
      'several addresses': keys({ jwksPairs: pairs('https://a.example') }),
    },
  },
  'keys-of-several-issuers': {
    warning: {
      'keys of two addresses, whatever issuer is bound': keys({
        boundIssuer: 'https://a.example',
        jwksPairs: pairs('https://a.example', 'https://b.example'),
      }),
      'two public keys of any issuer': keys({ jwtValidationPubkeys: [keyPem, otherKeyPem] }),
    },
    quiet: {
      'one public key': keys({ jwtValidationPubkeys: [keyPem] }),
      'the old and the new key of an issuer': keys({
        boundIssuer: 'https://a.example',
        jwtValidationPubkeys: [keyPem, otherKeyPem],
      }),
      'one address twice': keys({ jwksPairs: pairs('https://a.example', 'https://a.example') }),
    },
  },
  'mixed-case-name': {
    warning: {
      'a role': people({ name: 'Reader' }),
      'a default role': people({}, { defaultRole: 'Reader' }),
    },
    quiet: { 'lower case': people({}, { defaultRole: 'reader' }) },
  },
  'default-role-missing': {
    error: { 'a role that is not there': people({}, { defaultRole: 'other' }) },
    quiet: {
      'one that is': people({}, { defaultRole: 'reader' }),
      'a method whose roles nobody knows': { methods: [oidcMethod({ defaultRole: 'other' })] },
    },
  },
  'list-claim-mapping': {
    error: {
      groups: people({ claimMappings: { groups: 'teams' } }),
      'a pointer to the audience': people({ claimMappings: { '/aud': 'audience' } }),
    },
    quiet: { 'a text': people({ claimMappings: { preferred_username: 'username' } }) },
  },
  'oidc-role-on-jwt-method': {
    error: { 'no client': { methods: [jwtMethod()], roles: [oidcRole({ method: 'ci' })] } },
    warning: {
      'a client on a mount of type jwt': {
        methods: [jwtMethod({ oidcClientId: 'client' })],
        roles: [oidcRole({ method: 'ci' })],
      },
    },
    quiet: {
      'a mount of type oidc': people(),
      'a client that is yet to be made': people({}, { oidcClientId: undefined }),
    },
  },
  'unsafe-algorithm': {
    error: {
      none: workloads({}, { jwtSupportedAlgs: ['RS256', 'none'] }),
      'a shared secret': workloads({}, { jwtSupportedAlgs: ['RS256', 'HS256'] }),
    },
    quiet: { signatures: workloads({}, { jwtSupportedAlgs: ['RS256', 'EdDSA'] }) },
  },
  'rs256-missing': {
    warning: { 'ES256 alone': workloads({}, { jwtSupportedAlgs: ['ES256'] }) },
    quiet: { 'with RS256': workloads({}, { jwtSupportedAlgs: ['ES256', 'RS256'] }) },
  },
  'direct-callback': {
    error: { direct: people({ callbackMode: 'direct' }) },
    quiet: { client: people({ callbackMode: 'client' }) },
  },
  'root-policy': {
    error: {
      'a role': people({ policies: [' ROOT '] }),
      'a group': { groups: [{ name: 'admins', policies: ['Root'] }] },
    },
    quiet: { 'a name with root in it': people({ policies: ['root-ca'] }) },
  },
  'policy-unknown': {
    warning: {
      'a misspelled policy of a role': withPolicies({ roles: [oidcRole({ policies: ['secrets-raed'] })] }),
      'one of a group': withPolicies({ groups: [{ name: 'g', policies: ['other'] }] }),
      'one that many give, once': withPolicies({
        roles: [oidcRole({ policies: ['other'] }), jwtRole({ policies: ['Other'] })],
        groups: [{ name: 'g', policies: ['other'] }],
      }),
    },
    quiet: {
      'one that is declared, in other letters': withPolicies({
        roles: [oidcRole({ policies: ['Secrets-Read'] })],
      }),
      'the built-in one': withPolicies({ roles: [oidcRole({ policies: ['default'] })] }),
      'names where no policy is declared': { roles: [oidcRole({ policies: ['other'] })] },
      'one that a claim completes': withPolicies({ roles: [oidcRole({ policies: ['team-{{team}}'] })] }),
    },
  },
  'message-reveals': {
    error: {
      'a token': messages({ authenticated: false, message: `hvs.${'x'.repeat(24)}` }),
      'a password': messages({ authenticated: false, message: 'The password is hunter22.' }),
    },
    warning: {
      'an internal host': messages({ authenticated: false, message: 'See wiki.corp' }),
      'an internal address in the link': messages({
        authenticated: false,
        link: { Wiki: 'http://10.0.0.1/' },
      }),
    },
    quiet: {
      'the same after sign-in': messages({ message: 'See wiki.corp' }),
      'words about secrets': messages({ authenticated: false, message: 'Never tell anyone a secret.' }),
    },
  },
  'message-times': {
    error: { 'an end before the start': messages({ endTime: '2025-01-01T00:00:00Z' }) },
    quiet: { 'an end after it': messages({ endTime: '2027-01-01T00:00:00+01:00' }), 'no end': messages({}) },
  },
  'message-link': {
    error: { two: messages({ link: { a: 'https://a.example', b: 'https://b.example' } }) },
    quiet: { one: messages({ link: { a: 'https://a.example' } }) },
  },
  'too-many-messages': {
    error: { '101': messages(...Array.from({ length: 101 }, (_, at) => ({ title: `${at}` }))) },
    quiet: { '100': messages(...Array.from({ length: 100 }, (_, at) => ({ title: `${at}` }))) },
  },
};
