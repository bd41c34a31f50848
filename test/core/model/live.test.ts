import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { declareProvider } from '../../../core/model/declared.ts';
import { providerKinds } from '../../../core/model/kinds/kinds.ts';
import {
  messageFromWire,
  methodConfigFromWire,
  methodFromWire,
  roleFromWire,
} from '../../../core/model/live.ts';
import type { MethodConfig } from '../../../core/model/resources/auth-method.ts';
import { encodeMessage } from '../../../core/model/resources/custom-message.ts';
import { wireNameIn } from '../../../core/model/resources/field.ts';
import { providerConfigToWire } from '../../../core/model/resources/provider-config.ts';
import { roleFields } from '../../../core/model/resources/role.ts';
import { Dialect } from '../../../core/model/values/wire.ts';
import { parsedProvider } from './environment-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'vault' } as const;
const onTheWire = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [wireNameIn(roleFields, field), value]));

describe('methodConfigFromWire (openbao/openbao builtin/credential/jwt/path_config.go)', () => {
  test('splits keys that are chained with commas', () => {
    const config = methodConfigFromWire({ jwt_validation_pubkeys: 'PEM one,PEM two' });
    expect(config).toEqual({ jwtValidationPubkeys: ['PEM one', 'PEM two'] });
  });

  test('reads unset fields as absent, however the service says unset', () => {
    const unset = {
      oidc_discovery_url: '',
      jwt_validation_pubkeys: [],
      oidc_response_types: null,
      provider_config: {},
      default_role: '',
    };
    expect(methodConfigFromWire(unset)).toEqual({});
  });

  test('keeps the false of the one field whose default is true', () => {
    expect(methodConfigFromWire({ namespace_in_state: false })).toEqual({ namespaceInState: false });
  });

  test('passes over fields it does not know', () => {
    expect(methodConfigFromWire({ status: 'valid', oidc_client_secret: 'x' })).toEqual({});
  });

  test('passes over the provider config of a provider that is not set up here', () => {
    expect(methodConfigFromWire({ provider_config: { provider: 'ibmisam' } })).toEqual({});
  });

  test('keeps a value that no declaration could hold', () => {
    expect(methodConfigFromWire({ oidc_discovery_url: 'not a url' })).toEqual({
      oidcDiscoveryUrl: 'not a url',
    });
  });
});

describe('methodFromWire', () => {
  test('trims the path as sys/auth lists it, and reads type and description', () => {
    expect(methodFromWire('team/staff/', { type: 'oidc', description: 'Employees' }, {})).toEqual({
      path: 'team/staff',
      type: 'oidc',
      description: 'Employees',
      config: {},
    });
  });

  test('reads no description as absent', () => {
    expect(methodFromWire('ci/', { type: 'jwt', description: '' }, {})).toEqual({
      path: 'ci',
      type: 'jwt',
      config: {},
    });
  });
});

describe('roleFromWire (openbao/openbao builtin/credential/jwt/path_role.go)', () => {
  const read = (wire: Record<string, unknown>) => roleFromWire('oidc', 'reader', wire);
  const bare = { method: 'oidc', name: 'reader', roleType: 'oidc', userClaim: '' };

  test('splits redirect URIs that are joined with commas', () => {
    expect(read({ allowed_redirect_uris: 'http://a.example,http://b.example' }).allowedRedirectUris).toEqual([
      'http://a.example',
      'http://b.example',
    ]);
  });

  test('reads the older spellings policies and ttl', () => {
    expect(read({ policies: ['a'], ttl: 3_600 })).toEqual({ ...bare, policies: ['a'], ttl: 3_600 });
  });

  test.each([
    ['before', { token_policies: ['new'], token_ttl: 2, policies: ['old'], ttl: 1 }],
    ['after', { policies: ['old'], ttl: 1, token_policies: ['new'], token_ttl: 2 }],
  ])('lets token_policies and token_ttl go first where they stand %s the older ones', (_, wire) => {
    expect(read(wire)).toEqual({ ...bare, policies: ['new'], ttl: 2 });
  });

  test('lets the older spelling stand where the newer one is unset', () => {
    expect(read({ policies: ['old'], token_policies: [] }).policies).toEqual(['old']);
  });

  test('reads claim mappings that are given repeatedly', () => {
    expect(read({ claim_mappings: ['/a/b=b', '/a/c=c=d'] }).claimMappings).toEqual({
      '/a/b': 'b',
      '/a/c': 'c=d',
    });
  });

  test('reads durations as texts too', () => {
    expect(read({ token_ttl: '1h', token_max_ttl: '90m' })).toMatchObject({ ttl: 3_600, tokenMaxTtl: 5_400 });
  });

  test('reads unset fields as absent', () => {
    const unset = {
      bound_audiences: null,
      bound_claims: {},
      token_ttl: 0,
      verbose_oidc_logging: false,
      groups_claim: '',
    };
    expect(read(unset)).toEqual(bare);
  });

  test('keeps a leeway of -1, which means none', () => {
    expect(read({ clock_skew_leeway: -1 }).clockSkewLeeway).toBe(-1);
  });

  test('keeps a boolean in bound claims as it was read', () => {
    expect(read({ bound_claims: { admin: true } }).boundClaims).toEqual({ admin: true });
  });

  test('passes over fields it does not know', () => {
    expect(read({ colour: 'red' })).toEqual(bare);
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

describe('messageFromWire', () => {
  const wire = {
    id: '01',
    active: true,
    title: 'Hello',
    message: encodeMessage('Grüß Gott'),
    type: 'modal',
    authenticated: false,
    start_time: '2026-12-01T00:00:00.000000000Z',
    end_time: '2026-12-01T01:00:00.123456789+01:00',
    link: { Status: 'https://status.example.com' },
    options: { colour: 'red' },
  };

  test('reads every field, times to the nanosecond in the one form we send', () => {
    expect(messageFromWire(wire)).toEqual({
      title: 'Hello',
      message: 'Grüß Gott',
      type: 'modal',
      authenticated: false,
      startTime: '2026-12-01T00:00:00Z',
      endTime: '2026-12-01T00:00:00.123456789Z',
      link: { Status: 'https://status.example.com' },
      options: { colour: 'red' },
    });
  });

  test.each([[null], [''], [undefined]])('reads an end of %j, and no link and options, as absent', (end) => {
    const read = messageFromWire({ ...wire, end_time: end, link: null, options: {} });
    for (const field of ['endTime', 'link', 'options']) expect(read).not.toHaveProperty(field);
  });

  test('reads every text back', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(messageFromWire({ ...wire, message: encodeMessage(text) }).message).toBe(text);
      }),
    );
  });
});
