import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { AuthMethod, type AuthMethodArgs } from '../../components/auth-method.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../packages/core/test/pems.ts';
import { named, ofType, register, registration, secret } from '../harness/pulumi-mocks.ts';

const [key, other, ca] = [keyPem, otherKeyPem, certificatePem].map((pem) => pem.trim()) as [
  string,
  string,
  string,
];
const least: AuthMethodArgs = { path: 'staff', type: 'oidc', oidcDiscoveryUrl: 'https://id.example.com' };
/** What the mount has where nothing is tuned. */
const untuned = {
  defaultLeaseTtl: '0s',
  maxLeaseTtl: '0s',
  listingVisibility: 'hidden',
  tokenType: 'default-service',
};
const registering = (args: Partial<AuthMethodArgs> = {}) =>
  register(() => new AuthMethod('staff', { ...least, ...args }));

describe('AuthMethod', () => {
  test('registers itself and the mount, and nothing else', async () => {
    expect(await registering()).toEqual([
      registration('gatehouse:index:AuthMethod$vault:jwt/authBackend:AuthBackend', 'staff-mount', {
        inputs: { ...least, tune: untuned },
        parent: 'staff',
        deleteBeforeReplace: true,
        additionalSecretOutputs: ['oidcClientSecret', 'oidcClientSecretWo'],
      }),
      registration('gatehouse:index:AuthMethod', 'staff', {
        inputs: least,
        outputs: { path: 'staff', accessor: 'accessor-of-staff-mount' },
      }),
    ]);
  });

  test('keeps the client secret a secret', async () => {
    const { inputs } = named(await registering({ oidcClientSecret: 'hunter2' }), 'staff-mount');
    expect(inputs['oidcClientSecret']).toEqual(secret('hunter2'));
  });

  test('keeps a key in the provider config a secret when it is given as one', async () => {
    const providerConfig = { provider: 'gsuite', gsuite_service_account: pulumi.secret('hunter2') };
    const { inputs } = named(await registering({ providerConfig }), 'staff-mount');
    expect(inputs['providerConfig']).toEqual({
      provider: 'gsuite',
      gsuite_service_account: secret('hunter2'),
    });
  });

  test('has the component’s arguments in its state, the client secret a secret', async () => {
    const { inputs } = named(await registering({ oidcClientSecret: 'hunter2' }), 'staff');
    expect(inputs).toEqual({ ...least, oidcClientSecret: secret('hunter2') });
  });

  test('hands every other argument to the mount as it is', async () => {
    const args: Partial<AuthMethodArgs> = {
      description: 'Employees',
      oidcDiscoveryCaPem: ca,
      oidcClientId: 'client',
      oidcResponseMode: 'form_post',
      oidcResponseTypes: ['code'],
      boundIssuer: 'https://id.example.com',
      jwtSupportedAlgs: ['RS256'],
      defaultRole: 'reader',
      namespaceInState: true,
      tune: { defaultLeaseTtl: '1h', listingVisibility: 'unauth' },
    };
    const [mount] = ofType(await registering(args), 'AuthBackend');
    expect(mount?.inputs).toEqual({ ...least, ...args, tune: { ...untuned, ...args.tune } });
  });

  test.each<[string, Partial<AuthMethodArgs>, Partial<AuthMethodArgs>]>([
    [
      'public keys',
      { jwtValidationPubkeys: [`${key}\n`, `\n${other}`] },
      { jwtValidationPubkeys: [key, other] },
    ],
    [
      'public keys that are known later',
      { jwtValidationPubkeys: pulumi.output([`${key}\n`]) },
      { jwtValidationPubkeys: [key] },
    ],
    ['the CA of an issuer', { oidcDiscoveryCaPem: `${ca}\n` }, { oidcDiscoveryCaPem: ca }],
    ['the CA of a JWKS', { jwksCaPem: pulumi.output(`${ca}\n`) }, { jwksCaPem: ca }],
    [
      'the CAs of several',
      { jwksPairs: [{ jwks_url: 'https://a', jwks_ca_pem: `${ca}\n` }, { jwks_url: 'https://b' }] },
      { jwksPairs: [{ jwks_url: 'https://a', jwks_ca_pem: ca }, { jwks_url: 'https://b' }] },
    ],
  ])('trims %s, as services do', async (_, args, written) => {
    const [mount] = ofType(await registering(args), 'AuthBackend');
    expect(mount?.inputs).toEqual({ ...least, ...written, tune: untuned });
  });

  test.each([
    [5400, '1h30m'],
    [86400, '24h'],
    ['7d', '168h'],
    [90060, '25h1m'],
  ])('tunes without days, which Go does not have: %s is %s', async (maxLeaseTtl, written) => {
    const [mount] = ofType(await registering({ tune: { maxLeaseTtl } }), 'AuthBackend');
    expect(mount?.inputs['tune']).toEqual({ ...untuned, maxLeaseTtl: written });
  });

  test.each<[string, Partial<AuthMethodArgs>, string]>([
    ['a path that is the service’s own', { path: 'token' }, 'path: `token` is the service’s own auth method'],
    ['what is no key', { jwtValidationPubkeys: ['A'] }, 'jwtValidationPubkeys.0: there is no key in it'],
    ['an algorithm', { jwtSupportedAlgs: ['HS256'] }, '"HS256" is not a supported algorithm'],
    ['times', { tune: { defaultLeaseTtl: '2h', maxLeaseTtl: '1h' } }, 'tune.defaultLeaseTtl: it is longer'],
  ])('refuses %s that servers refuse, at once', async (_, args, message) => {
    await expect(registering(args)).rejects.toThrow(
      expect.objectContaining({ code: 'inputs_invalid', message: expect.stringContaining(message) }),
    );
  });
});
