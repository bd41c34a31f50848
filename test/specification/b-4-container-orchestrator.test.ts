import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { declare, declareProvider } from '../../core/model/declared.ts';
import { parseEnvironment } from '../../core/model/environment.ts';
import { publicKeysFromJwks } from '../../core/model/public-keys.ts';
import { projectedToken } from '../../providers/projected-token.ts';
import { givenEnvironment, givenProvider, parsedProvider } from '../core/model/environment-fixture.ts';
import { named, register } from '../harness/pulumi-mocks.ts';
import { make, plainArgs } from '../providers/provider-fixture.ts';

const kind = 'container_orchestrator';
const service = { address: 'https://secrets.example.com', dialect: 'neutral' } as const;
const declared = (more: Record<string, unknown> = {}) => declareProvider(parsedProvider(kind, more), service);
const role = (more: Record<string, unknown> = {}) =>
  declared({ roles: [{ name: 'web', namespace: 'shop', serviceAccount: 'web', ...more }] }).roles[0];

// Step 2 of method 1, reading the issuer from the well-known document: test/client/discovery.test.ts.
describe('B-4. Method 1, issuer discovery', () => {
  test('B-4 method 1, step 1: unauthenticated access to the discovery documents is allowed', async () => {
    const args = { ...plainArgs[kind], cluster: { openDiscovery: true } };
    const { inputs } = named(await register(() => make(kind, args)), 'it-open-discovery');
    expect(inputs).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'system:service-account-issuer-discovery' },
      subjects: [{ kind: 'Group', name: 'system:unauthenticated' }],
    });
  });

  test('B-4 method 1, step 3: oidc_discovery_url is the issuer', () => {
    expect(declared().method.config.oidcDiscoveryUrl).toBe('https://oidc.cluster.example.com');
  });

  test('B-4 method 1, step 3: or the in-cluster API address, with the CA to trust', () => {
    const discoveryUrl = 'https://kubernetes.default.svc.cluster.local';
    expect(declared({ discoveryUrl, caPem: 'PEM' }).method.config).toMatchObject({
      oidcDiscoveryUrl: discoveryUrl,
      oidcDiscoveryCaPem: 'PEM',
    });
  });
});

describe('B-4. Method 2, public keys', () => {
  test('B-4 method 2, step 2: keys are converted from JWK to PEM', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [pem] = await publicKeysFromJwks({ keys: [publicKey.export({ format: 'jwk' })] });
    expect(createPublicKey(pem!).equals(publicKey)).toBe(true);
  });

  test('B-4 method 2, step 3: jwt_validation_pubkeys is the list of PEM keys', () => {
    expect(declared({ publicKeys: ['PEM one', 'PEM two'] }).method.config).toMatchObject({
      jwtValidationPubkeys: ['PEM one', 'PEM two'],
    });
  });

  test('B-4 method 2: several clusters are served, the keys of each in a method of its own', () => {
    const clusters = ['east', 'west'].map((name) => ({ name, publicKeys: [`PEM of ${name}`] }));
    const roles = [{ name: 'web', namespace: 'shop', serviceAccount: 'web', audience: 'secrets' }];
    const given = givenEnvironment([givenProvider(kind, { issuer: undefined, clusters, roles })]);
    const { methods } = declare(parseEnvironment(given));
    expect(methods.map(({ config }) => config.jwtValidationPubkeys)).toEqual([
      ['PEM of east'],
      ['PEM of west'],
    ]);
  });

  test('B-4 method 2: the cluster is not contacted', () => {
    expect(declared({ publicKeys: ['PEM'] }).method.config).not.toHaveProperty('oidcDiscoveryUrl');
  });
});

describe('B-4. Role', () => {
  test('B-4 role_type: jwt', () => {
    expect(role()?.roleType).toBe('jwt');
  });

  test('B-4 bound_audiences: defaults to the issuer', () => {
    expect(role()?.boundAudiences).toEqual(['https://oidc.cluster.example.com']);
  });

  test('B-4 bound_audiences: the custom audience where a token has one', () => {
    expect(role({ audience: 'secrets' })?.boundAudiences).toEqual(['secrets']);
  });

  test('B-4 user_claim: sub', () => {
    expect(role()?.userClaim).toBe('sub');
  });

  test('B-4 bound_subject: system:serviceaccount:<namespace>:<service_account>', () => {
    expect(role()?.boundSubject).toBe('system:serviceaccount:shop:web');
  });

  test('B-4 policies and ttl: as the role says', () => {
    expect(role({ policies: ['read'], ttl: '10m' })).toMatchObject({ policies: ['read'], ttl: 600 });
  });
});

describe('B-4. Custom token', () => {
  test('B-4: a token is mounted with a chosen audience and an expiration', () => {
    const volume = projectedToken({ audience: 'secrets', expirationSeconds: 600 });
    expect(volume.projected).toEqual({
      sources: [{ serviceAccountToken: { audience: 'secrets', expirationSeconds: 600, path: 'token' } }],
    });
  });

  test('B-4: the expiration is at least 600 seconds', () => {
    expect(() => projectedToken({ audience: 'secrets', expirationSeconds: 599 })).toThrow('at least 600');
  });
});
