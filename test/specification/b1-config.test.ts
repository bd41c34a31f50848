import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../core/model/declared.ts';
import { configFields, methodConfigFromWire } from '../../core/model/resources/auth-method.ts';
import { wireNameIn } from '../../core/model/resources/field.ts';
import { parsedProvider } from '../core/model/environment-fixture.ts';
import { named, register, secret } from '../harness/pulumi-mocks.ts';
import { make, plainArgs } from '../providers/provider-fixture.ts';

const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const configOf = (...given: Parameters<typeof parsedProvider>) =>
  declareProvider(parsedProvider(...given), service).method.config;

describe('B1. OIDC/JWT auth method configuration', () => {
  test('B1 oidc_client_id: the client id that the provider issued', () => {
    expect(wireNameIn(configFields, 'oidcClientId')).toBe('oidc_client_id');
    expect(configOf('source_hosting').oidcClientId).toBe('client');
  });

  test('B1 oidc_client_secret: the client secret that the provider issued, sent as a secret', async () => {
    expect(wireNameIn(configFields, 'oidcClientSecret')).toBe('oidc_client_secret');
    const registered = await register(() => make('source_hosting', plainArgs.source_hosting));
    expect(named(registered, 'it-mount').inputs['oidcClientSecret']).toEqual(secret('hunter2'));
  });

  test('B1 oidc_discovery_url: the issuer, without the well-known suffix', () => {
    expect(wireNameIn(configFields, 'oidcDiscoveryUrl')).toBe('oidc_discovery_url');
    expect(configOf('source_hosting').oidcDiscoveryUrl).toBe('https://gitlab.com');
    expect(() =>
      configOf('source_hosting', { authority: 'https://gitlab.com/.well-known/openid-configuration' }),
    ).toThrow('give the URL without its /.well-known/… suffix');
  });

  test('B1 default_role: the role used when a login names none', () => {
    expect(wireNameIn(configFields, 'defaultRole')).toBe('default_role');
    expect(configOf('source_hosting', { defaultRole: 'reader' }).defaultRole).toBe('reader');
  });

  test('B1 oidc_discovery_ca_pem: the CA to trust when contacting the discovery URL, on a JWT mount', () => {
    expect(wireNameIn(configFields, 'oidcDiscoveryCaPem')).toBe('oidc_discovery_ca_pem');
    const { method } = declareProvider(parsedProvider('container_orchestrator', { caPem: 'PEM' }), service);
    expect([method.type, method.config.oidcDiscoveryCaPem]).toEqual(['jwt', 'PEM']);
  });

  test('B1 jwt_validation_pubkeys: one or more PEM public keys', () => {
    expect(wireNameIn(configFields, 'jwtValidationPubkeys')).toBe('jwt_validation_pubkeys');
    const more = { issuer: undefined, publicKeys: ['PEM one', 'PEM two'], roles: [] };
    expect(configOf('container_orchestrator', more).jwtValidationPubkeys).toEqual(['PEM one', 'PEM two']);
  });

  test('B1 jwt_validation_pubkeys: several keys may be chained with commas', () => {
    const more = { issuer: undefined, publicKeys: 'PEM one,PEM two', roles: [] };
    expect(configOf('container_orchestrator', more).jwtValidationPubkeys).toEqual(['PEM one', 'PEM two']);
    expect(methodConfigFromWire({ jwt_validation_pubkeys: 'PEM one,PEM two' }).jwtValidationPubkeys).toEqual([
      'PEM one',
      'PEM two',
    ]);
  });

  test('B1 provider_config: an object with provider-specific settings (B3)', () => {
    expect(wireNameIn(configFields, 'providerConfig')).toBe('provider_config');
    expect(configOf('cloud_directory', { manyGroups: true }).providerConfig).toEqual({
      provider: 'cloud_directory',
    });
  });
});
