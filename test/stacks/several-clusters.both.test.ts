import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

function clusterNamed(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const issuer = `https://${name}.example.com`;
  return { name, issuer, pem, privateKey };
}

describeOnBothServers('several clusters', (service) => {
  const east = clusterNamed('east');
  const west = clusterNamed('west');
  const environment = environmentFor(service);

  beforeAll(async () => {
    const stack = environment().stack((config: DevConfig) => {
      const roles = [
        { name: 'web', namespace: 'shop', serviceAccount: 'web', audience: 'secrets', ttl: '10m' },
        { name: 'any', namespace: 'shop', serviceAccount: '*', audience: 'secrets', ttl: '10m' },
      ];
      const clusters = [east, west].map(({ name, issuer, pem }) => ({ name, issuer, publicKeys: [pem] }));
      config['providers'] = [
        { kind: 'kubernetes', name: 'cluster', clusters, roles },
        { kind: 'kubernetes', name: 'both', issuer: west.issuer, publicKeys: [east.pem, west.pem], roles },
      ];
      Object.assign(config, { clientSecrets: {}, serviceAccountKeys: {}, promises: [], groups: [] });
    });
    await environment().up(stack);
  });

  /** What comes of a token that one cluster's key signs, in the name of one: `in`, or the service's refusal. */
  async function signsIn(
    method: string,
    { privateKey }: typeof east,
    { issuer }: typeof east,
    { role = 'web', account = 'shop/web', claims = {} } = {},
  ): Promise<string> {
    const [namespace, name] = account.split('/');
    const jwt = await new SignJWT({ 'kubernetes.io': { namespace }, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setAudience('secrets')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey);
    return environment()
      .client.post(`auth/${method}/login`, { role, jwt })
      .then(
        () => 'in',
        (error: Error) => error.message,
      );
  }

  test('take the tokens of their own cluster', async () => {
    expect(await signsIn('cluster-east', east, east)).toBe('in');
    expect(await signsIn('cluster-west', west, west)).toBe('in');
  });

  test('take no token that the key of another signs, whatever issuer it names', async () => {
    for (const issuer of [east, west]) {
      expect(await signsIn('cluster-west', east, issuer)).toContain('error validating token');
      expect(await signsIn('cluster-east', west, issuer)).toContain('error validating token');
    }
  });

  test('would, with their keys in one method: the bound issuer does not help', async () => {
    expect(await signsIn('both', east, west)).toBe('in');
  });

  test('let any service account of a namespace in, and of no other', async () => {
    const any = (account: string, claims = {}) =>
      signsIn('cluster-east', east, east, { role: 'any', account, claims });
    expect(await any('shop/web')).toBe('in');
    expect(await any('shop/cron')).toBe('in');
    expect(await any('shopping/web')).toContain('error validating claims');
    expect(await any('shop/web', { 'kubernetes.io': undefined })).toContain('error validating claims');
  });
});
