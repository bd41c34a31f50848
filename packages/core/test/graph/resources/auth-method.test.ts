import { describe, expect, test } from '@jest/globals';
import { methodConfigFromWire, methodFromWire } from '../../../src/graph/resources/auth-method.ts';

describe('methodConfigFromWire (openbao/openbao builtin/credential/jwt/path_config.go)', () => {
  test('splits keys that are chained with commas', () => {
    const config = methodConfigFromWire({ jwt_validation_pubkeys: 'PEM one,PEM two' });
    expect(config).toEqual({ jwtValidationPubkeys: ['PEM one', 'PEM two'] });
  });

  test('passes over the provider config of a provider that is not set up here', () => {
    expect(methodConfigFromWire({ provider_config: { provider: 'ibmisam' } })).toEqual({});
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
