import { describe, expect, test } from '@jest/globals';
import { methodConfigFromWire, methodFromWire } from '../../../../core/model/resources/auth-method.ts';

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
