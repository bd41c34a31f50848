import { get, post, type Scenario } from '../step.ts';

const keys = { jwt_validation_pubkeys: ['{pem}'] };
const write = (does: string, body: object) => post(does, 'auth/c/config', body);
const withKeys = (does: string, body: object) => write(does, { ...keys, ...body });
const read = (does: string) => get(does, 'auth/c/config');

export const methodConfig: Scenario[] = [
  {
    name: 'configuring auth methods by keys',
    steps: [
      post('enabling one', 'sys/auth/c', { type: 'jwt' }),
      read('reading one that was never configured'),
      write('nothing', {}),
      withKeys('public keys', {}),
      read('reads the keys'),
      withKeys('one key as a text', { jwt_validation_pubkeys: '{pem}' }),
      write('a key that is none', { jwt_validation_pubkeys: ['junk'] }),
      write('no key', { jwt_validation_pubkeys: [] }),
      withKeys('issuer, algorithms, default role', {
        default_role: 'MiXed',
        bound_issuer: 'https://issuer.example',
        jwt_supported_algs: 'RS256, ES256',
      }),
      read('reads what was set'),
      withKeys('what is left out is reset', {}),
      read('reads what was reset'),
      withKeys('the namespace in the state', { namespace_in_state: false }),
      withKeys('which alone is kept', {}),
      read('reads what was kept'),
      withKeys('an algorithm that is none', { jwt_supported_algs: ['none'] }),
      withKeys('an algorithm with a shared secret', { jwt_supported_algs: ['HS256'] }),
      withKeys('a second source of keys', { jwks_url: '{issuer}/jwks' }),
      withKeys('a third', { oidc_discovery_url: '{issuer}' }),
      withKeys('a client without its secret', { oidc_client_id: 'client' }),
      withKeys('a secret without its client', { oidc_client_secret: 'secret' }),
      withKeys('a client without a discovery URL', {
        oidc_client_id: 'client',
        oidc_client_secret: 'secret',
      }),
      withKeys('a response mode that is none', { oidc_response_mode: 'x' }),
      withKeys('a response type that is none', { oidc_response_types: 'x,code' }),
      withKeys('an id token without form_post', { oidc_response_types: 'id_token' }),
      withKeys('a list for a text', { bound_issuer: [1] }),
      withKeys('a text for a flag', { namespace_in_state: 'perhaps' }),
      withKeys('a list for a flag', { namespace_in_state: [true] }),
      withKeys('a text for a map', { provider_config: 'x' }),
      withKeys('numbers for texts', { bound_issuer: 5, default_role: 7 }),
      read('reads texts'),
      withKeys('null for a text', { bound_issuer: null }),
      withKeys('a field that is none', { no_such_field: 1 }),
      withKeys('a provider without its name', { provider_config: { a: 1 } }),
      withKeys('a provider that is none', { provider_config: { provider: 'nothing' } }),
      withKeys('the cloud directory', { provider_config: { provider: 'azure' } }),
      read('reads the provider'),
      withKeys('the workspace suite without its account', { provider_config: { provider: 'gsuite' } }),
      withKeys('with an account that is no file', {
        provider_config: { provider: 'gsuite', gsuite_service_account: '/nowhere/key.json' },
      }),
      ...[
        ['a text for groups', { fetch_groups: 'yes' }],
        ['true as a text', { fetch_groups: 'true' }],
        ['a number for a flag', { fetch_user_info: 1 }],
        ['a list for a flag', { fetch_groups: [true] }],
        ['a text for a depth', { groups_recurse_max_depth: 'x' }],
        ['digits as a text for a depth', { groups_recurse_max_depth: '5' }],
        ['a fraction for a depth', { groups_recurse_max_depth: 1.5 }],
        ['a flag for a depth', { groups_recurse_max_depth: true }],
        ['a list for schemas', { user_custom_schemas: ['a', 'b'] }],
        ['a flag for an administrator', { gsuite_admin_impersonate: true }],
        ['a map for a domain', { domain: {} }],
        ['another case of a name', { Fetch_Groups: 'yes' }],
        [
          'several of them',
          { groups_recurse_max_depth: 'x', user_custom_schemas: [], fetch_groups: 'a', fetch_user_info: 'b' },
        ],
      ].map(([name, fields]) =>
        withKeys(`a workspace suite with ${name}`, {
          provider_config: { provider: 'gsuite', ...(fields as object) },
        }),
      ),
      withKeys('a number for the provider', { provider_config: { provider: 5 } }),
      withKeys('null for the provider', { provider_config: { provider: null } }),
      read('reads what stood before'),
      get('without a token', 'auth/c/config', { token: '' }),
      post('writing without a token', 'auth/c/config', keys, { token: '' }),
    ],
  },
  {
    name: 'configuring auth methods by an issuer',
    steps: [
      post('enabling one', 'sys/auth/ci', { type: 'oidc' }),
      post('a discovery URL', 'auth/ci/config', { oidc_discovery_url: '{issuer}' }),
      get('reads the URL', 'auth/ci/config'),
      post('with client and secret', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}',
        oidc_client_id: 'client',
        oidc_client_secret: 'secret',
        default_role: 'reader',
      }),
      get('reads it without the secret', 'auth/ci/config'),
      post('form_post with an id token', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}',
        oidc_client_id: 'client',
        oidc_client_secret: 'secret',
        oidc_response_mode: 'form_post',
        oidc_response_types: ['id_token'],
      }),
      get('reads the response mode', 'auth/ci/config'),
      post('the whole address of the document', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}/.well-known/openid-configuration',
      }),
      post('the whole address of a document whose issuer ends in a slash', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}/slash/.well-known/openid-configuration',
      }),
      post('an issuer that ends in a slash', 'auth/ci/config', { oidc_discovery_url: '{issuer}/slash/' }),
      post('an issuer that calls itself otherwise', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}/wrong',
      }),
      post('an issuer that has no document', 'auth/ci/config', { oidc_discovery_url: '{issuer}/nothing' }),
      post('an issuer that does not answer', 'auth/ci/config', { oidc_discovery_url: 'http://127.0.0.1:1' }),
      post('an address that is none', 'auth/ci/config', { oidc_discovery_url: 'nonsense' }),
      post('a certificate that is none', 'auth/ci/config', {
        oidc_discovery_url: '{issuer}',
        oidc_discovery_ca_pem: 'junk',
      }),
      post('a document of keys', 'auth/ci/config', { jwks_url: '{issuer}/jwks' }),
      get('reads the address of the keys', 'auth/ci/config'),
      post('a document without keys', 'auth/ci/config', { jwks_url: '{issuer}/no-keys' }),
      post('a document that is not there', 'auth/ci/config', { jwks_url: '{issuer}/nothing' }),
      post('a document with a certificate that is none', 'auth/ci/config', {
        jwks_url: '{issuer}/jwks',
        jwks_ca_pem: 'junk',
      }),
      get('reads what stood before', 'auth/ci/config'),
    ],
  },
];
