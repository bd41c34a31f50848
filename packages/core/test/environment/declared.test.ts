import { describe, expect, test } from '@jest/globals';
import { declare, declareProvider } from '../../src/environment/declared.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import { providerKinds } from '../../src/graph/kinds/kinds.ts';
import { type MethodConfig, methodConfigFromWire } from '../../src/graph/resources/auth-method.ts';
import { wireNameIn } from '../../src/graph/resources/field.ts';
import { providerConfigToWire } from '../../src/graph/resources/provider-config.ts';
import { roleFields, roleFromWire } from '../../src/graph/resources/role.ts';
import { Dialect } from '../../src/graph/values/wire.ts';
import { givenEnvironment, givenMessage, givenProvider, parsedProvider } from './environment-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'vault' } as const;
const onTheWire = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [wireNameIn(roleFields, field), value]));
const declaring = (providers: Record<string, unknown>[], keys: Record<string, unknown> = {}) =>
  declare(parseEnvironment(givenEnvironment(providers, keys)));

describe('declareProvider', () => {
  test('lets what a role says go before what its kind says', () => {
    const own = {
      name: 'reader',
      userClaim: 'email',
      oidcScopes: ['openid', 'email'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback'],
      policies: ['read'],
      ttl: '1h',
    };
    const { roles } = declareProvider(parsedProvider('source_hosting', { roles: [own] }), service);
    expect(roles).toEqual([{ ...own, ttl: 3_600, method: 'it', roleType: 'oidc' }]);
  });

  test('mounts the method at its path, and says so in roles and aliases', () => {
    const groups = [{ name: 'admins', alias: 'owners', policies: ['admin'], metadata: { team: 'a' } }];
    const declared = declareProvider(parsedProvider('source_hosting', { path: 'team/git', groups }), service);
    expect(declared.method.path).toBe('team/git');
    expect(declared.roles[0]).toMatchObject({ method: 'team/git' });
    expect(declared.groups).toEqual([{ name: 'admins', policies: ['admin'], metadata: { team: 'a' } }]);
    expect(declared.aliases).toEqual([{ name: 'owners', method: 'team/git', group: 'admins' }]);
  });

  test('names description, default role and tuning where they are given', () => {
    const settings = {
      description: 'Code',
      defaultRole: 'Reader',
      tune: { defaultLeaseTtl: '1h', maxLeaseTtl: 7200 },
    };
    const { method } = declareProvider(parsedProvider('source_hosting', settings), service);
    expect(method).toMatchObject({
      description: 'Code',
      config: { defaultRole: 'reader' },
      tune: { defaultLeaseTtl: 3_600, maxLeaseTtl: 7_200 },
    });
  });

  test('keeps what only the kind understands out of a role', () => {
    const { roles } = declareProvider(parsedProvider('container_orchestrator'), service);
    expect(Object.keys(roles[0] ?? {}).sort()).toEqual([
      'boundAudiences',
      'boundSubject',
      'method',
      'name',
      'roleType',
      'userClaim',
    ]);
  });
});

describe('declare', () => {
  test('puts the providers’ parts together, in their order', () => {
    const graph = declaring([
      givenProvider('source_hosting', { name: 'a', groups: [{ name: 'x', alias: '1' }] }),
      givenProvider('container_orchestrator', { name: 'b' }),
    ]);
    expect(graph.methods.map(({ path, type }) => [path, type])).toEqual([
      ['a', 'oidc'],
      ['b', 'jwt'],
    ]);
    expect(graph.roles.map(({ method, name }) => [method, name])).toEqual([
      ['a', 'reader'],
      ['b', 'reader'],
    ]);
    expect(graph.groups).toEqual([{ name: 'x', policies: [] }]);
    expect(graph.aliases).toEqual([{ name: '1', method: 'a', group: 'x' }]);
  });

  const message = givenMessage();
  test('declares a message that never ends without an end', () => {
    const { messages } = declaring([], { messages: [{ ...message, endTime: null }] });
    expect(messages).toEqual([{ ...message, type: 'banner', authenticated: true }]);
    expect(messages[0]).not.toHaveProperty('endTime');
  });

  test('leaves the messages out where the service has none', () => {
    const given = { service: { ...service, features: { messages: false } }, messages: [message] };
    expect(declaring([], given).messages).toEqual([]);
  });

  test.each([
    ['a policy’s file', [], { policies: [{ name: 'a', file: 'a.hcl' }] }],
    [
      'a cluster’s issuer',
      [givenProvider('container_orchestrator', { issuer: undefined, apiServer: 'https://10.0.0.1' })],
      {},
    ],
    ['a cluster’s keys', [givenProvider('container_orchestrator', { jwks: { keys: [{ kty: 'RSA' }] } })], {}],
  ])('refuses an environment of which %s has not been read', (_, providers, keys) => {
    expect(() => declaring(providers, keys)).toThrow(
      expect.objectContaining({ code: 'environment_unresolved' }),
    );
  });
});

describe('what is declared and then read back from the wire is the same', () => {
  test.each(providerKinds)('for a method and a role of %s', (kind) => {
    for (const dialect of Object.values(Dialect)) {
      const { method, roles } = declareProvider(parsedProvider(kind), { ...service, dialect });
      const { providerConfig, ...config } = method.config;
      const wire = {
        ...onTheWire(config),
        ...(providerConfig === undefined
          ? {}
          : { provider_config: providerConfigToWire(providerConfig, dialect) }),
      };
      expect(methodConfigFromWire(wire)).toEqual(method.config satisfies MethodConfig);
      const [role] = roles;
      const { method: path, name, ...fields } = role!;
      expect(roleFromWire(path, name, onTheWire(fields))).toEqual(role);
    }
  });
});
