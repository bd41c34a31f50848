import { describe, expect, test } from '@jest/globals';
import { VaultPlugin } from '../../../src/plugins/vault/vault-plugin.ts';
import { type PropertyMap, Unknown } from '../../../src/property-value.ts';
import { ResourceSession, type TypeName, types } from './resource-session.ts';

/** The least that each type asks for. */
const least: Record<TypeName, PropertyMap> = {
  mount: { oidcDiscoveryUrl: 'https://issuer.example.com' },
  role: { roleName: 'reader', userClaim: 'sub' },
  group: { name: 'admins' },
  alias: { name: 'a', mountAccessor: 'b', canonicalId: 'c' },
  namespace: { path: 'it' },
  policy: { name: 'p', policy: '' },
  message: { title: 't', messageBase64: 'aGk=', startTime: '2026-12-01T00:00:00Z' },
  endpoint: { path: 'p', dataJson: '{}' },
};

const check = (type: string, news: PropertyMap, name?: string) =>
  new ResourceSession(new VaultPlugin({}), type, name).check(news);

describe('defaults are filled in and listed (pulumi-terraform-bridge pkg/tfbridge/schema.go, applyDefaults)', () => {
  const leeways = { clockSkewLeeway: 0, expirationLeeway: 0, notBeforeLeeway: 0 };
  const flags = { disableBoundClaimsParsing: false, userClaimJsonPointer: false, verboseOidcLogging: false };
  const externalMembers = { externalMemberEntityIds: false, externalMemberGroupIds: false };
  test.each<[TypeName, PropertyMap]>([
    ['mount', { path: 'jwt', type: 'jwt', local: false, disableRemount: false, namespaceInState: true }],
    ['role', { backend: 'jwt', tokenType: 'default', ...leeways, ...flags }],
    ['group', { type: 'internal', externalPolicies: false, ...externalMembers }],
    ['alias', {}],
    ['policy', {}],
    ['message', { authenticated: true, type: 'banner' }],
    ['endpoint', { disableDelete: false, disableRead: false, ignoreAbsentFields: false }],
  ])('%s', async (type, added) => {
    const inputs = { ...least[type], ...added, __defaults: Object.keys(added).sort() };
    await expect(check(types[type], least[type])).resolves.toEqual({ inputs, failures: [] });
  });

  test('an object inside the inputs has its own list', async () => {
    const { inputs } = await check(types.mount, { ...least.mount, tune: { maxLeaseTtl: '1h' } });
    expect(inputs['tune']).toEqual({ maxLeaseTtl: '1h', __defaults: [] });
  });
});

describe('autonames', () => {
  test.each([types.group, types.policy])('%s: the resource’s name and seven hex digits', async (type) => {
    const { inputs } = await check(type, { policy: '' }, 'admins');
    expect(inputs['name']).toMatch(/^admins-[0-9a-f]{7}$/);
    expect(inputs['__defaults']).toContain('name');
  });

  test('the same seed gives the same name', async () => {
    const [first, second] = await Promise.all([
      check(types.policy, { policy: '' }),
      check(types.policy, { policy: '' }),
    ]);
    expect(first.inputs['name']).toBe(second.inputs['name']);
  });

  test('an autoname stays for the resource’s life', async () => {
    const session = new ResourceSession(new VaultPlugin({}), types.policy);
    session.inputs = { name: 'it-0123456', policy: '', __defaults: ['name'] };
    await expect(session.checked({ policy: 'x' })).resolves.toMatchObject({ name: 'it-0123456' });
  });

  test('a name the program gave before is no autoname', async () => {
    const session = new ResourceSession(new VaultPlugin({}), types.policy);
    session.inputs = { name: 'given', policy: '', __defaults: [] };
    await expect(session.checked({ policy: 'x' })).resolves.not.toMatchObject({ name: 'given' });
  });
});

describe('refused', () => {
  /** The property is the one that is given, unless it is said. */
  test.each<[string, TypeName, PropertyMap, RegExp, property?: string]>([
    ['an unknown property', 'role', { policies: ['p'] }, /is not a property of vault:jwt/],
    ['an unknown property of an object', 'mount', { tune: { ttl: '1h' } }, /not a property/, 'tune.ttl'],
    ['a property only the service gives', 'mount', { accessor: 'x' }, /given by the service/],
    ['a missing property', 'role', { userClaim: null }, /is missing/],
    ['a missing property of an object', 'message', { link: { title: 'x' } }, /missing/, 'link.href'],
    ['a number for a string', 'role', { boundSubject: 5 }, /a string, not a number/],
    ['a string for a number', 'role', { tokenTtl: '1h' }, /a whole number, not a string/],
    ['a fraction', 'role', { tokenTtl: 1.5 }, /a whole number/],
    ['a string for a list', 'role', { oidcScopes: 'a' }, /a list of strings, not a string/],
    ['a number in a list', 'role', { oidcScopes: ['a', 1] }, /a string/, 'oidcScopes[1]'],
    ['a string for a boolean', 'mount', { local: 'true' }, /true or false/],
    ['a list for a map', 'role', { claimMappings: [] }, /a map of strings/],
    ['a role type that is none', 'role', { roleType: 'saml' }, /one of oidc, jwt/],
    ['a claims type that is none', 'role', { boundClaimsType: 're' }, /string, glob/],
    ['a mount type that is none', 'mount', { type: 'ldap' }, /jwt, oidc/],
    ['a path with a slash at its end', 'mount', { path: 'oidc/' }, /slash/],
    [
      'a response type that is none',
      'mount',
      { oidcResponseTypes: ['token'] },
      /code/,
      'oidcResponseTypes[0]',
    ],
    [
      'a tuning that is no duration',
      'mount',
      { tune: { maxLeaseTtl: 'soon' } },
      /duration/,
      'tune.maxLeaseTtl',
    ],
    ['a group type that is none', 'group', { type: 'outer' }, /internal, external/],
    [
      'members of an external group',
      'group',
      { type: 'external', memberEntityIds: ['x'] },
      /login/,
      'memberEntityIds',
    ],
    ['a message type that is none', 'message', { type: 'toast' }, /banner, modal/],
    ['a message that is not base64', 'message', { messageBase64: 'hi!' }, /base64/],
    ['a time that is none', 'message', { startTime: 'tomorrow' }, /RFC 3339/],
    [
      'a boolean in bound claims',
      'role',
      { boundClaims: { admin: true } },
      /never equals/,
      'boundClaims.admin',
    ],
    ['a number in bound claims', 'role', { boundClaims: { 'a.b': 1 } }, /never equals/, 'boundClaims["a.b"]'],
    ['a write-only property', 'mount', { oidcClientSecretWo: 's' }, /oidcClientSecret/],
    ['no key source', 'mount', { oidcDiscoveryUrl: null }, /exactly one of/, ''],
    ['two key sources', 'mount', { jwksUrl: 'https://x' }, /exactly one of/],
    ['a client id alone', 'mount', { oidcClientId: 'x' }, /go together/, 'oidcClientSecret'],
    [
      'a provider setting that is no boolean',
      'mount',
      { providerConfig: { fetch_groups: 'yes' } },
      /"true" or "false"/,
      'providerConfig.fetch_groups',
    ],
  ])('%s', async (_, type, changes, reason, property = Object.keys(changes)[0]) => {
    const { failures } = await check(types[type], { ...least[type], ...changes });
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
  });

  test('never with the value, which may be a secret', async () => {
    const { failures } = await check(types.mount, {
      ...least.mount,
      oidcClientId: 'x',
      oidcClientSecret: 4711,
    });
    expect(JSON.stringify(failures)).not.toContain('4711');
  });

  test('a type the plugin does not have, by its name', async () => {
    await expect(check('vault:aws/secretBackend:SecretBackend', {})).rejects.toThrow(
      /vault:aws\/secretBackend/,
    );
  });
});

describe('what is not known yet passes', () => {
  test.each<[TypeName, PropertyMap]>([
    ['mount', { oidcDiscoveryUrl: Unknown.value, type: Unknown.value }],
    ['mount', { oidcClientId: Unknown.value, oidcClientSecret: 'x' }],
    ['mount', { tune: Unknown.value, providerConfig: { a: Unknown.value } }],
    ['role', { roleName: Unknown.value, userClaim: 'sub', boundAudiences: [Unknown.value] }],
    ['alias', { mountAccessor: Unknown.value, canonicalId: Unknown.value }],
    ['message', { messageBase64: Unknown.value, startTime: Unknown.value }],
  ])('%s %#', async (type, changes) => {
    const { failures } = await check(types[type], { ...least[type], ...changes });
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
