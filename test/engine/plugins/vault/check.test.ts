import { describe, expect, test } from '@jest/globals';
import { VaultPlugin } from '../../../../engine/plugins/vault/vault-plugin.ts';
import { type PropertyMap, Unknown } from '../../../../engine/property-value.ts';
import { ResourceSession } from './resource-session.ts';

const mountType = 'vault:jwt/authBackend:AuthBackend';
const roleType = 'vault:jwt/authBackendRole:AuthBackendRole';
const groupType = 'vault:identity/group:Group';
const aliasType = 'vault:identity/groupAlias:GroupAlias';
const policyType = 'vault:index/policy:Policy';
const messageType = 'vault:config/uiCustomMessage:UiCustomMessage';

const role: PropertyMap = { roleName: 'reader', userClaim: 'sub' };
const mount: PropertyMap = { oidcDiscoveryUrl: 'https://issuer.example.com' };
const message: PropertyMap = { title: 't', messageBase64: 'aGk=', startTime: '2026-12-01T00:00:00Z' };

const check = (type: string, news: PropertyMap, name?: string) =>
  new ResourceSession(new VaultPlugin({}), type, name).check(news);

describe('defaults are filled in and listed (pulumi-terraform-bridge pkg/tfbridge/schema.go, applyDefaults)', () => {
  test.each<[string, PropertyMap, PropertyMap]>([
    [
      mountType,
      mount,
      {
        path: 'jwt',
        type: 'jwt',
        local: false,
        disableRemount: false,
        namespaceInState: true,
        __defaults: ['disableRemount', 'local', 'namespaceInState', 'path', 'type'],
      },
    ],
    [
      roleType,
      role,
      {
        backend: 'jwt',
        clockSkewLeeway: 0,
        expirationLeeway: 0,
        notBeforeLeeway: 0,
        tokenType: 'default',
        disableBoundClaimsParsing: false,
        userClaimJsonPointer: false,
        verboseOidcLogging: false,
        __defaults: [
          'backend',
          'clockSkewLeeway',
          'disableBoundClaimsParsing',
          'expirationLeeway',
          'notBeforeLeeway',
          'tokenType',
          'userClaimJsonPointer',
          'verboseOidcLogging',
        ],
      },
    ],
    [
      groupType,
      { name: 'admins' },
      {
        type: 'internal',
        externalPolicies: false,
        externalMemberEntityIds: false,
        externalMemberGroupIds: false,
        __defaults: ['externalMemberEntityIds', 'externalMemberGroupIds', 'externalPolicies', 'type'],
      },
    ],
    [aliasType, { name: 'a', mountAccessor: 'b', canonicalId: 'c' }, { __defaults: [] }],
    [policyType, { name: 'p', policy: '' }, { __defaults: [] }],
    [messageType, message, { authenticated: true, type: 'banner', __defaults: ['authenticated', 'type'] }],
  ])('%s', async (type, given, added) => {
    await expect(check(type, given)).resolves.toEqual({ inputs: { ...given, ...added }, failures: [] });
  });

  test('an object inside the inputs has its own list', async () => {
    const { inputs } = await check(mountType, { ...mount, tune: { maxLeaseTtl: '1h' } });
    expect(inputs['tune']).toEqual({ maxLeaseTtl: '1h', __defaults: [] });
  });
});

describe('autonames', () => {
  test.each([groupType, policyType])('%s: the resource’s name and seven hex digits', async (type) => {
    const { inputs } = await check(type, { policy: '' }, 'admins');
    expect(inputs['name']).toMatch(/^admins-[0-9a-f]{7}$/);
    expect(inputs['__defaults']).toContain('name');
  });

  test('the same seed gives the same name', async () => {
    const [first, second] = await Promise.all([
      check(policyType, { policy: '' }),
      check(policyType, { policy: '' }),
    ]);
    expect(first.inputs['name']).toBe(second.inputs['name']);
  });

  test('an autoname stays for the resource’s life', async () => {
    const session = new ResourceSession(new VaultPlugin({}), policyType);
    session.inputs = { name: 'it-0123456', policy: '', __defaults: ['name'] };
    await expect(session.checked({ policy: 'x' })).resolves.toMatchObject({ name: 'it-0123456' });
  });

  test('a name the program gave before is no autoname', async () => {
    const session = new ResourceSession(new VaultPlugin({}), policyType);
    session.inputs = { name: 'given', policy: '', __defaults: [] };
    await expect(session.checked({ policy: 'x' })).resolves.not.toMatchObject({ name: 'given' });
  });
});

describe('refused', () => {
  test.each<[string, string, PropertyMap, string, RegExp]>([
    [
      'an unknown property',
      roleType,
      { ...role, policies: ['p'] },
      'policies',
      /is not a property of vault:jwt/,
    ],
    [
      'an unknown property of an object',
      mountType,
      { ...mount, tune: { ttl: '1h' } },
      'tune.ttl',
      /not a property/,
    ],
    [
      'a property only the service gives',
      mountType,
      { ...mount, accessor: 'x' },
      'accessor',
      /given by the service/,
    ],
    ['a missing property', roleType, { roleName: 'x' }, 'userClaim', /is missing/],
    [
      'a missing property of an object',
      messageType,
      { ...message, link: { title: 'x' } },
      'link.href',
      /missing/,
    ],
    [
      'a number for a string',
      roleType,
      { ...role, boundSubject: 5 },
      'boundSubject',
      /a string, not a number/,
    ],
    [
      'a string for a number',
      roleType,
      { ...role, tokenTtl: '1h' },
      'tokenTtl',
      /a whole number, not a string/,
    ],
    ['a fraction', roleType, { ...role, tokenTtl: 1.5 }, 'tokenTtl', /a whole number/],
    [
      'a string for a list',
      roleType,
      { ...role, oidcScopes: 'a' },
      'oidcScopes',
      /a list of strings, not a string/,
    ],
    ['a number in a list', roleType, { ...role, oidcScopes: ['a', 1] }, 'oidcScopes[1]', /a string/],
    ['a string for a boolean', mountType, { ...mount, local: 'true' }, 'local', /true or false/],
    ['a list for a map', roleType, { ...role, claimMappings: [] }, 'claimMappings', /a map of strings/],
    ['a role type that is none', roleType, { ...role, roleType: 'saml' }, 'roleType', /one of oidc, jwt/],
    [
      'a claims type that is none',
      roleType,
      { ...role, boundClaimsType: 're' },
      'boundClaimsType',
      /string, glob/,
    ],
    ['a mount type that is none', mountType, { ...mount, type: 'ldap' }, 'type', /jwt, oidc/],
    ['a path with a slash at its end', mountType, { ...mount, path: 'oidc/' }, 'path', /slash/],
    [
      'a response type that is none',
      mountType,
      { ...mount, oidcResponseTypes: ['token'] },
      'oidcResponseTypes[0]',
      /code/,
    ],
    [
      'a tuning that is no duration',
      mountType,
      { ...mount, tune: { maxLeaseTtl: 'soon' } },
      'tune.maxLeaseTtl',
      /duration/,
    ],
    ['a group type that is none', groupType, { type: 'outer' }, 'type', /internal, external/],
    [
      'members of an external group',
      groupType,
      { type: 'external', memberEntityIds: ['x'] },
      'memberEntityIds',
      /login/,
    ],
    ['a message type that is none', messageType, { ...message, type: 'toast' }, 'type', /banner, modal/],
    [
      'a message that is not base64',
      messageType,
      { ...message, messageBase64: 'hi!' },
      'messageBase64',
      /base64/,
    ],
    ['a time that is none', messageType, { ...message, startTime: 'tomorrow' }, 'startTime', /RFC 3339/],
    [
      'a boolean in bound claims',
      roleType,
      { ...role, boundClaims: { admin: true } },
      'boundClaims.admin',
      /never equals/,
    ],
    [
      'a number in bound claims',
      roleType,
      { ...role, boundClaims: { 'a.b': 1 } },
      'boundClaims["a.b"]',
      /never equals/,
    ],
    [
      'a write-only property',
      mountType,
      { ...mount, oidcClientSecretWo: 's' },
      'oidcClientSecretWo',
      /oidcClientSecret/,
    ],
    ['no key source', mountType, { path: 'x' }, '', /exactly one of/],
    ['two key sources', mountType, { ...mount, jwksUrl: 'https://x' }, 'jwksUrl', /exactly one of/],
    ['a client id alone', mountType, { ...mount, oidcClientId: 'x' }, 'oidcClientSecret', /go together/],
    [
      'a provider setting that is no boolean',
      mountType,
      { ...mount, providerConfig: { fetch_groups: 'yes' } },
      'providerConfig.fetch_groups',
      /"true" or "false"/,
    ],
  ])('%s', async (_, type, news, property, reason) => {
    const { failures } = await check(type, news);
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
  });

  test('never with the value, which may be a secret', async () => {
    const { failures } = await check(mountType, { ...mount, oidcClientId: 'x', oidcClientSecret: 4711 });
    expect(JSON.stringify(failures)).not.toContain('4711');
  });

  test('a type the plugin does not have, by its name', async () => {
    await expect(check('vault:aws/secretBackend:SecretBackend', {})).rejects.toThrow(
      /vault:aws\/secretBackend/,
    );
  });
});

describe('what is not known yet passes', () => {
  test.each<[string, PropertyMap]>([
    [mountType, { oidcDiscoveryUrl: Unknown.value, type: Unknown.value }],
    [mountType, { ...mount, oidcClientId: Unknown.value, oidcClientSecret: 'x' }],
    [mountType, { ...mount, tune: Unknown.value, providerConfig: { a: Unknown.value } }],
    [roleType, { roleName: Unknown.value, userClaim: 'sub', boundAudiences: [Unknown.value] }],
    [aliasType, { name: 'a', mountAccessor: Unknown.value, canonicalId: Unknown.value }],
    [messageType, { title: 't', messageBase64: Unknown.value, startTime: Unknown.value }],
  ])('%s %#', async (type, news) => {
    const { failures } = await check(type, news);
    expect(failures).toEqual([]);
  });
});

describe('the plugin’s own configuration', () => {
  const urn = 'urn:pulumi:dev::test::pulumi:providers:vault::default';
  const checkConfig = (news: PropertyMap) => new VaultPlugin({}).checkConfig({ urn, olds: {}, news });

  test('takes values as text, as the SDK and the CLI send them, and keeps them so', async () => {
    const news = {
      address: 'http://127.0.0.1:8200',
      skipChildToken: 'true',
      maxRetries: '5',
      headers: '[{"name":"X-A","value":"b"}]',
      version: '7.8.0',
    };
    await expect(checkConfig(news)).resolves.toEqual({ inputs: news, failures: [] });
  });

  test.each([
    ['authLogin', '{}'],
    ['authLoginOidc', '{}'],
    ['clientAuth', '{}'],
    ['caCertDir', '/etc/ssl'],
    ['setNamespaceFromToken', 'false'],
    ['nonsense', 'x'],
  ])('refuses %s by name', async (name, value) => {
    const { failures } = await checkConfig({ [name]: value });
    expect(failures).toEqual([{ property: name, reason: expect.stringContaining(name) }]);
  });

  test('refuses a version that is none', async () => {
    const { failures } = await checkConfig({ vaultVersionOverride: 'latest' });
    expect(failures).toHaveLength(1);
  });

  test('a change of it is an update, never a replacement', async () => {
    const request = {
      urn,
      id: 'x',
      olds: {},
      oldInputs: { address: 'a' },
      news: { address: 'b' },
      ignoreChanges: [],
    };
    const diff = await new VaultPlugin({}).diffConfig(request);
    expect(diff).toMatchObject({ changes: 'some', diffs: ['address'], replaces: [] });
  });
});
