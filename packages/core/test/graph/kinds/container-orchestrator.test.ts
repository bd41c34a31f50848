import { describe, expect, test } from '@jest/globals';
import { declare } from '../../../src/environment/declared.ts';
import { parseEnvironment } from '../../../src/environment/environment.ts';
import { containerOrchestrator } from '../../../src/graph/kinds/container-orchestrator.ts';
import {
  givenEnvironment,
  givenProvider,
  parsedProvider,
  problemsOf,
  problemsOfProvider,
} from '../../environment/environment-fixture.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../pems.ts';
import { jwtRole } from '../../review/rules/graph-fixture.ts';

const kind = 'container_orchestrator';
const issuer = 'https://oidc.cluster.example.com';
const problems = (settings: Record<string, unknown>) => problemsOfProvider(kind, settings);
const role = (fields: Record<string, unknown> = {}) => ({
  name: 'web',
  namespace: 'shop',
  serviceAccount: 'web',
  ...fields,
});

describe('containerOrchestrator (docs/inside/specification.md B-4)', () => {
  test('refuses a group with an alias where no role has a groups claim: nobody would be in it', () => {
    const groups = [{ name: 'later' }, { name: 'admins', alias: 'admins' }];
    expect(problems({ groups })).toEqual([
      'groups[1].alias: the tokens of a container_orchestrator carry no groups, so no one would be in this group. Leave `alias` out, or give a role a `groupsClaim` that its tokens have',
    ]);
    expect(problems({ groups, roles: [role({ groupsClaim: 'teams' })] })).toEqual([]);
  });

  test('method 1: discovers at the in-cluster address with a CA, and still demands the issuer', () => {
    const discoveryUrl = 'https://kubernetes.default.svc.cluster.local';
    const given = parsedProvider(kind, { discoveryUrl, caPem: certificatePem });
    expect(containerOrchestrator.config(given)).toEqual({
      oidcDiscoveryUrl: discoveryUrl,
      oidcDiscoveryCaPem: certificatePem,
      boundIssuer: issuer,
    });
  });

  test('method 1: keeps the issuer to the letter', () => {
    const given = parsedProvider(kind, { issuer: `${issuer}/` });
    expect(containerOrchestrator.config(given)).toMatchObject({ oidcDiscoveryUrl: `${issuer}/` });
  });

  test('method 2: gives the public keys, and nothing to discover with', () => {
    const given = parsedProvider(kind, { publicKeys: `${keyPem},${otherKeyPem}`, caPem: certificatePem });
    expect(containerOrchestrator.config(given)).toEqual({
      jwtValidationPubkeys: [keyPem.trim(), otherKeyPem.trim()],
      boundIssuer: issuer,
    });
  });

  test('method 2: binds no issuer where none is given', () => {
    const given = parsedProvider(kind, {
      issuer: undefined,
      publicKeys: [keyPem],
      roles: [role({ audience: 'a' })],
    });
    expect(containerOrchestrator.config(given)).toEqual({ jwtValidationPubkeys: [keyPem] });
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

  const refused: Record<string, Record<string, unknown>> = {
    'issuer: give a key source: issuer or apiServer (discovery), or publicKeys, jwks or jwksFile (public keys)':
      { issuer: undefined },
    'roles[0].audience: required without an issuer as its default': {
      issuer: undefined,
      publicKeys: [keyPem],
      roles: [role()],
    },
    'roles[0].namespace: this field is required (text)': { roles: [role({ namespace: undefined })] },
    'roles[0].serviceAccount: not a name in the cluster: use lower-case letters, digits and `-`; or "*" for all of the namespace':
      { roles: [role({ serviceAccount: 'Web:x' })] },
    'roles[0].namespace: not a name in the cluster: use lower-case letters, digits and `-`': {
      roles: [role({ namespace: '*' })],
    },
    'apiServer: required to read the keys from the cluster': { keysFromCluster: true },
    'cluster.tokenExpirationSeconds: a mounted service account token lives at least 600 seconds': {
      cluster: { tokenExpirationSeconds: 599 },
    },
  };
  test.each(Object.entries(refused))('refuses %s', (problem, settings) => {
    expect(problems({ roles: [], ...settings })).toEqual([problem]);
  });

  test.each([{ jwks: { keys: [{}] } }, { discoveryUrl: issuer }])('refuses two key sources: %j', (other) => {
    expect(problems({ roles: [], publicKeys: [keyPem], ...other })).toEqual([
      'publicKeys: exactly one key source is allowed: discovery, publicKeys, jwks, jwksFile or keysFromCluster',
    ]);
  });

  // A relative path means another file in another folder.
  test.each(['apiVersion: v1\ntoken: hunter2', 'kubeconfig.yaml'])(
    'refuses the kubeconfig %j',
    (kubeconfig) => {
      expect(problems({ roles: [], cluster: { kubeconfig } })).toEqual([
        'cluster.kubeconfig: the path of a kubeconfig, from / or ~/; never its content',
      ]);
    },
  );

  test('binds the namespace, not the subject, where every service account of it may sign in', () => {
    const given = parsedProvider(kind, { roles: [role({ serviceAccount: '*' })] });
    expect(containerOrchestrator.role(given, given.roles[0]!)).toEqual({
      userClaim: 'sub',
      boundAudiences: [issuer],
      boundClaims: { '/kubernetes.io/namespace': 'shop' },
    });
  });
});

describe('several clusters', () => {
  const east = { name: 'east', issuer: 'https://east.example.com' };
  const west = { name: 'west', publicKeys: [keyPem], roles: [role({ name: 'own', audience: 'a' })] };
  const several = (clusters: object[], settings: Record<string, unknown> = {}) =>
    givenEnvironment([
      givenProvider(kind, {
        issuer: undefined,
        clusters,
        roles: [role({ audience: 'secrets' })],
        ...settings,
      }),
    ]);
  const declared = (clusters: object[], settings: Record<string, unknown> = {}) =>
    declare(parseEnvironment(several(clusters, settings)));

  test('have an auth method each, with its own keys and issuer', () => {
    expect(declared([east, west]).methods.map(({ path, config }) => [path, config])).toEqual([
      ['it-east', { oidcDiscoveryUrl: east.issuer, boundIssuer: east.issuer }],
      ['it-west', { jwtValidationPubkeys: [keyPem] }],
    ]);
  });

  test('share the roles of the provider, and have more of their own', () => {
    const names = declared([east, west]).roles.map(({ method, name }) => `${method}/${name}`);
    expect(names).toEqual(['it-east/web', 'it-west/web', 'it-west/own']);
  });

  test('take each its own issuer for the audience', () => {
    const other = { name: 'other', issuer: 'https://other.example.com' };
    const { roles } = declared([east, other], { roles: [role()] });
    expect(roles.map(({ boundAudiences }) => boundAudiences)).toEqual([[east.issuer], [other.issuer]]);
  });

  test('are named after the path of the provider, where it has one', () => {
    const { methods } = declared([east], { path: 'teams/shop' });
    expect(methods.map(({ path }) => path)).toEqual(['teams/shop-east']);
  });

  const at = 'gatehouse:providers[0]';
  const refused: Record<string, [object[], Record<string, unknown>, ...string[]]> = {
    'no cluster': [[], {}, `${at}.clusters: give at least one cluster`],
    'a key source beside them': [[east], { issuer }, `${at}.issuer: set this for each of \`clusters\``],
    'a cluster without a key source': [
      [{ name: 'east' }],
      {},
      `${at}.clusters[0].issuer: give a key source: issuer or apiServer (discovery), or publicKeys, jwks or jwksFile (public keys)`,
    ],
    'a cluster of the same name': [
      [east, east],
      {},
      `${at}.clusters[1].name: the provider name "it-east" is declared twice; first at providers[0].clusters[0].name`,
      `${at}.clusters[1].name: the auth method path "it-east" is declared twice; first at providers[0].clusters[0].name`,
      `${at}.roles[0].name: the resource name <provider>-<role> "it-east-web" is declared twice; first at providers[0].roles[0].name`,
    ],
    'a role of the name of a shared one': [
      [{ ...east, roles: [role()] }],
      {},
      `${at}.clusters[0].roles[0].name: the role "web" is declared twice; first at providers[0].roles[0].name`,
    ],
    'a shared role without an audience, where a cluster has no issuer': [
      [east, { name: 'west', publicKeys: [keyPem] }],
      { roles: [role()] },
      `${at}.roles[0].audience: required without an issuer as its default`,
    ],
    'a default role that a cluster lacks': [
      [east, west],
      { defaultRole: 'own' },
      `${at}.defaultRole: no role of this provider is named "own"`,
    ],
    groups: [
      [east],
      { groups: [{ name: 'later' }] },
      `${at}.groups: a group has one alias, in one auth method: declare it below a provider of one cluster`,
    ],
    'objects in a cluster that is not said': [
      [{ ...east, cluster: { openDiscovery: true } }],
      {},
      `${at}.clusters[0].cluster: set \`context\` or \`kubeconfig\`, so that objects of several clusters do not land in one`,
    ],
  };
  test.each(Object.entries(refused))('refuse %s', (_, [clusters, settings, ...expected]) => {
    expect(problemsOf(several(clusters, settings))).toEqual(expected);
  });

  test('do not take the name of another provider', () => {
    const given = several([east]);
    const providers = [...(given['providers'] as Record<string, unknown>[])];
    providers.push(givenProvider(kind, { name: 'it-east', roles: [] }));
    expect(problemsOf({ ...given, providers })).toEqual([
      'gatehouse:providers[1].name: the provider name "it-east" is declared twice; first at providers[0].clusters[0].name',
      'gatehouse:providers[1].name: the auth method path "it-east" is declared twice; first at providers[0].clusters[0].name',
    ]);
  });
});

describe('whom a role lets in, in words', () => {
  const { whom } = containerOrchestrator;
  const words = (fields: object) => whom({ ...jwtRole({ boundSubject: undefined }), ...fields });
  const phrase = (fields: object) => {
    const found = words(fields);
    return found && [found.words, ...(found.subject ? ['boundSubject'] : []), ...found.claims].join(' by ');
  };
  const claim = '/kubernetes.io/namespace';

  test.each<[object, string | undefined]>([
    [{ boundClaims: { [claim]: 'shop' } }, `any service account of namespace shop by ${claim}`],
    [
      { boundClaims: { [claim]: ['shop', 'till'] } },
      `any service account of namespace shop or till by ${claim}`,
    ],
    [
      { boundClaims: { sub: 'system:serviceaccount:shop:*' }, boundClaimsType: 'glob' },
      'any service account of namespace shop by sub',
    ],
    [{ boundClaims: { [claim]: 'shop*' }, boundClaimsType: 'glob' }, undefined],
    [{ boundClaims: { sub: 'system:serviceaccount:*:*' }, boundClaimsType: 'glob' }, undefined],
    [{ boundClaims: { sub: 'system:serviceaccount:shop:*' } }, undefined],
    // Other bounds stand beside the words.
    [
      { boundClaims: { [claim]: 'shop', '/kubernetes.io/pod/name': 'web' } },
      `any service account of namespace shop by ${claim}`,
    ],
    [
      { boundSubject: 'system:serviceaccount:shop:web' },
      'service account web of namespace shop by boundSubject',
    ],
    [
      { boundSubject: 'system:serviceaccount:shop:web', boundClaims: { [claim]: 'shop' } },
      'service account web of namespace shop by boundSubject',
    ],
    [{ boundClaims: { [claim]: [] } }, undefined],
    [{ boundSubject: 'web', boundClaims: { [claim]: 'shop' } }, undefined],
    [{}, undefined],
  ])('%j: %s', (fields, expected) => {
    expect(phrase(fields)).toBe(expected);
  });
});
