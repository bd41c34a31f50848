import { describe, expect, test } from '@jest/globals';
import { containerOrchestrator } from '../../../../core/model/kinds/container-orchestrator.ts';
import { givenEnvironment, givenProvider, parsedProvider, problemsOf } from '../environment-fixture.ts';

const kind = 'container_orchestrator';
const issuer = 'https://oidc.cluster.example.com';
const problems = (more: Record<string, unknown>) => problemsOf(givenEnvironment([givenProvider(kind, more)]));
const role = (more: Record<string, unknown> = {}) => ({
  name: 'web',
  namespace: 'shop',
  serviceAccount: 'web',
  ...more,
});

describe('containerOrchestrator (interface.md B-4)', () => {
  test('refuses a group with an alias where no role has a groups claim: nobody would be in it', () => {
    const groups = [{ name: 'later' }, { name: 'admins', alias: 'admins' }];
    expect(problems({ groups })).toEqual([
      'gatehouse:providers[0].groups[1].alias: the tokens of a container_orchestrator carry no groups, so that nobody would be in this one; leave `alias` out, or give a role a `groupsClaim` that its tokens have',
    ]);
    expect(problems({ groups, roles: [role({ groupsClaim: 'teams' })] })).toEqual([]);
  });

  test('method 1: discovers at the in-cluster address with a CA, and still demands the issuer', () => {
    const discoveryUrl = 'https://kubernetes.default.svc.cluster.local';
    const given = parsedProvider(kind, { discoveryUrl, caPem: 'PEM' });
    expect(containerOrchestrator.config(given)).toEqual({
      oidcDiscoveryUrl: discoveryUrl,
      oidcDiscoveryCaPem: 'PEM',
      boundIssuer: issuer,
    });
  });

  test('method 1: keeps the issuer to the letter', () => {
    const given = parsedProvider(kind, { issuer: `${issuer}/` });
    expect(containerOrchestrator.config(given)).toMatchObject({ oidcDiscoveryUrl: `${issuer}/` });
  });

  test('method 2: gives the public keys, and nothing to discover with', () => {
    const given = parsedProvider(kind, { publicKeys: 'PEM one,PEM two', caPem: 'CA' });
    expect(containerOrchestrator.config(given)).toEqual({
      jwtValidationPubkeys: ['PEM one', 'PEM two'],
      boundIssuer: issuer,
    });
  });

  test('method 2: binds no issuer where none is given', () => {
    const given = parsedProvider(kind, {
      issuer: undefined,
      publicKeys: ['PEM'],
      roles: [role({ audience: 'a' })],
    });
    expect(containerOrchestrator.config(given)).toEqual({ jwtValidationPubkeys: ['PEM'] });
  });

  test('binds a custom audience instead of the issuer', () => {
    const given = parsedProvider(kind, { roles: [role({ audience: 'secrets' })] });
    expect(containerOrchestrator.role(given, given.roles[0]!).boundAudiences).toEqual(['secrets']);
  });

  test('leaves the cluster alone but for what it is told, and mounts tokens for an hour', () => {
    expect(parsedProvider(kind, { cluster: {} }).cluster).toEqual({
      openDiscovery: false,
      serviceAccounts: false,
      tokenExpirationSeconds: 3_600,
    });
  });

  test('mounts tokens for as little as 600 seconds', () => {
    expect(problems({ cluster: { tokenExpirationSeconds: 600 } })).toEqual([]);
  });

  const oneSource =
    'gatehouse:providers[0].publicKeys: exactly one key source is allowed: discovery, publicKeys or jwks';
  test.each<[string, Record<string, unknown>, string]>([
    [
      'no key source',
      { issuer: undefined },
      'gatehouse:providers[0].issuer: give a key source: issuer or apiServer (discovery), or publicKeys or jwks (public keys)',
    ],
    ['public keys beside a JWKS document', { publicKeys: ['PEM'], jwks: { keys: [{}] } }, oneSource],
    ['public keys beside a discovery URL', { publicKeys: ['PEM'], discoveryUrl: issuer }, oneSource],
    [
      'a role without an audience where there is no issuer to default to',
      { issuer: undefined, publicKeys: ['PEM'], roles: [role()] },
      'gatehouse:providers[0].roles[0].audience: required without an issuer to default to',
    ],
    [
      'a role without a namespace',
      { roles: [role({ namespace: undefined })] },
      'gatehouse:providers[0].roles[0].namespace: this field is required (text)',
    ],
    [
      'a service account that is not a name in the cluster',
      { roles: [role({ serviceAccount: 'Web:x' })] },
      'gatehouse:providers[0].roles[0].serviceAccount: not a name in the cluster: use lower-case letters, digits and `-`',
    ],
    [
      'a token that lives less than 600 seconds',
      { cluster: { tokenExpirationSeconds: 599 } },
      'gatehouse:providers[0].cluster.tokenExpirationSeconds: a mounted service account token lives at least 600 seconds',
    ],
  ])('refuses %s', (_, more, problem) => {
    expect(problems({ roles: [], ...more })).toEqual([problem]);
  });
});
