import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { declare } from '../../../core/src/environment/declared.ts';
import { parseEnvironment } from '../../../core/src/environment/environment.ts';
import { emptyGraph, type Graph } from '../../../core/src/graph/graph.ts';
import { graphDifferences } from '../../../core/src/graph/graph-difference.ts';
import type { MethodConfig } from '../../../core/src/graph/resources/auth-method.ts';
import type { Role } from '../../../core/src/graph/resources/role.ts';
import { certificatePem, keyPem } from '../../../core/test/pems.ts';
import { environmentOf, leftWords } from '../../src/adopt/environment-of.ts';
import { adoptedWhole, redeclared, service } from './redeclared.ts';

/** What a stack of this project declares, its policies' texts put in place. */
function declaredBy(name: string): Graph {
  const { config } = parse(readFileSync(`${root}/Pulumi.${name}.yaml`, 'utf8'));
  const given = Object.fromEntries(
    Object.entries<any>(config).map(([key, value]) => [key.slice('gatehouse:'.length), value]),
  );
  for (const key of ['clientSecrets', 'serviceAccountKeys', 'runTaskKeys'])
    if (given[key]) given[key] = Object.keys(given[key]);
  given['policies'] = given['policies']?.map(({ name: policy }: any) => ({
    name: policy,
    policy: `# ${policy}`,
  }));
  return declare(parseEnvironment({ ...given, service }));
}

const jobs = { roleType: 'jwt' as const, userClaim: 'sub', boundAudiences: ['x'] };

test('the dev stack, read back from what it declares, declares the same', () => {
  adoptedWhole(declaredBy('dev'));
});

describe('what no environment comes to is left, with the reason', () => {
  const jwt = {
    path: 'ci',
    type: 'jwt' as const,
    config: { oidcDiscoveryUrl: 'https://ci.example.com', boundIssuer: 'https://ci.example.com' },
  };
  const empty = emptyGraph();
  const role: Role = { ...jobs, method: 'ci', name: 'build' };
  const leftOf = (state: Partial<Graph>) =>
    environmentOf({ ...empty, ...state }, service).left.map(({ subject }) => [subject.type, subject.name]);

  test('a method of type oidc with keys by address', () => {
    const config = { jwksUrl: 'https://ci.example.com/keys' };
    expect(leftOf({ methods: [{ path: 'ci', type: 'oidc', config }] })).toEqual([['method', 'ci']]);
  });

  test('a role of a method for workloads that takes browsers', () => {
    expect(leftOf({ methods: [jwt], roles: [{ ...role, roleType: 'oidc' }] })).toEqual([['role', 'build']]);
  });

  test('a group without an alias, or with one of a method that is left, with its roles', () => {
    const groups = ['g', 'h', 'i'].map((name) => ({ name, policies: [] }));
    const aliases = [
      { name: 'hs', method: 'old', group: 'h' },
      { name: 'is', method: 'ldap', group: 'i' },
    ];
    const config = { jwksUrl: 'https://ci.example.com/keys' };
    const methods = [{ path: 'old', type: 'oidc' as const, config }];
    const state = { ...empty, methods, roles: [{ ...role, method: 'old' }], groups, aliases };
    expect(leftWords(environmentOf(state, service))).toEqual([
      'method old: no provider kind of type oidc has its keys by jwksUrl',
      'role old/build: its auth method is not adopted',
      'group g: it has no alias, so no one is in it',
      'group h: its alias hs is of auth/old, which is not adopted',
      'group i: its alias is is of auth/ldap, which is not adopted',
    ]);
  });

  test('the second of two messages whose titles come to one name', () => {
    const shown = { type: 'banner' as const, authenticated: true, startTime: '2026-01-01T00:00:00Z' };
    const message = { ...shown, title: 'Hello', message: 'x' };
    expect(leftOf({ messages: [message, { ...message, title: 'hello!' }] })).toEqual([['message', 'hello!']]);
  });
});

describe('a method of which nothing tells the provider is adopted as one of any issuer', () => {
  const redeclares = (state: Partial<Graph>) => adoptedWhole({ ...emptyGraph(), ...state });
  const [issuer, caPem] = ['https://ci.example.com', certificatePem];
  const oidcDiscoveryUrl = issuer;
  const [jwksUrl, url] = [`${issuer}/keys`, 'https://a.example'];
  const jwksPairs: Record<string, string>[] = [{ jwks_url: url }, { jwks_url: jwksUrl, jwks_ca_pem: caPem }];
  const addresses = [{ url }, { url: jwksUrl, caPem }];
  const ofOther = { oidcDiscoveryUrl, boundIssuer: 'ci', oidcDiscoveryCaPem: caPem };
  test.each<[string, MethodConfig, object]>([
    ['discovery', { oidcDiscoveryUrl, boundIssuer: issuer }, { issuer }],
    ['another issuer, with a CA', ofOther, { issuer: 'ci', discoveryUrl: issuer, caPem }],
    ['discovery of no issuer', { oidcDiscoveryUrl }, { issuer, config: { boundIssuer: '' } }],
    ['keys by address, with a CA', { jwksUrl, jwksCaPem: caPem }, { jwksUrl, caPem }],
    ['keys at several addresses', { jwksPairs, boundIssuer: issuer }, { jwksPairs: addresses, issuer }],
    ['public keys', { jwtValidationPubkeys: [keyPem] }, { publicKeys: [keyPem] }],
  ])('for workloads: %s', (_, config, settings) => {
    const role = { ...jobs, method: 'ci', name: 'build', userClaim: 'job' };
    const found = redeclares({
      methods: [{ path: 'ci', type: 'jwt', config }],
      roles: [{ ...role, boundClaims: { team: ['a', 'b'] } }],
    });
    expect(found).toMatchObject({ kind: 'jwt', audiences: ['x'], ...settings });
  });

  test('for people', () => {
    const config = { oidcDiscoveryUrl, oidcClientId: 'x', oidcDiscoveryCaPem: caPem };
    const found = redeclares({ methods: [{ path: 'staff', type: 'oidc', config }] });
    expect(found).toEqual({ kind: 'oidc', name: 'staff', issuer, clientId: 'x', caPem });
  });
});

describe('a method of a known product is adopted with the settings of its kind', () => {
  const clientId = 'c';
  const role = { method: 'it', name: 'reader', roleType: 'oidc' as const, userClaim: 'sub' };
  const allowedRedirectUris = ['http://localhost:8250/oidc/callback'];
  const jwtSupportedAlgs = ['ES256', 'RS256'];
  const [okta, forgeRock] = ['https://x.okta.com', 'https://am.example:443/am'];
  const suite = { kind: 'access_management_suite', authority: forgeRock };
  test.each<[string, oidcDiscoveryUrl: string, Partial<Role>, object, MethodConfig?]>([
    [
      'Okta’s own server, with groups',
      okta,
      { oidcScopes: ['profile', 'groups'], groupsClaim: 'groups' },
      { kind: 'enterprise_identity_provider', authority: okta, authorizationServer: 'org' },
    ],
    [
      'a realm of ForgeRock',
      `${forgeRock}/oauth2/realms/root/realms/a/realms/b`,
      { oidcScopes: ['mail'] },
      { ...suite, realm: 'a/b', scopes: ['mail'] },
    ],
    [
      'a domain of Google Workspace',
      'https://accounts.google.com',
      { oidcScopes: ['profile', 'email'], boundClaims: { hd: 'example.com', locale: 'de' } },
      { kind: 'workspace_suite', hostedDomain: 'example.com' },
    ],
    [
      'GitLab with a CA and algorithms of its own',
      'https://gitlab.com',
      { oidcScopes: ['openid'] },
      { kind: 'source_hosting', caPem: certificatePem, jwtSupportedAlgs },
      { oidcDiscoveryCaPem: certificatePem, jwtSupportedAlgs },
    ],
  ])('%s', (_, oidcDiscoveryUrl, fields, settings, extra = {}) => {
    const config = { oidcDiscoveryUrl, oidcClientId: clientId, ...extra };
    const provider = adoptedWhole({
      ...emptyGraph(),
      methods: [{ path: 'it', type: 'oidc', config }],
      roles: [{ ...role, allowedRedirectUris, ...fields }],
    });
    expect(provider).toMatchObject({ clientId, ...settings });
    expect(provider).not.toHaveProperty('config');
  });
});

describe('a role for the service accounts of a namespace is adopted', () => {
  const issuer = 'https://c.example';
  const methods: Graph['methods'] = [
    { path: 'c', type: 'jwt', config: { oidcDiscoveryUrl: issuer, boundIssuer: issuer } },
  ];
  const role = { ...jobs, method: 'c', name: 'jobs' };
  const adopted = (fields: Partial<Role>) =>
    adoptedWhole({ ...emptyGraph(), methods, roles: [{ ...role, ...fields }] });
  const any = { kind: 'container_orchestrator', issuer };
  const namespace = '/kubernetes.io/namespace';

  test('by its claim', () => {
    const roles = [{ name: 'jobs', namespace: 'jobs', serviceAccount: '*' }];
    expect(adopted({ boundClaims: { [namespace]: ['jobs'] } })).toMatchObject({ ...any, roles });
  });

  test('with other claims in addition', () => {
    const claims = { '/kubernetes.io/serviceaccount/uid': 'u' };
    const roles = [{ namespace: 'jobs', serviceAccount: '*', boundClaims: claims }];
    expect(adopted({ boundClaims: { ...claims, [namespace]: 'jobs' } })).toMatchObject({ ...any, roles });
  });

  test.each<Partial<Role>>([
    { boundClaims: { [namespace]: ['jobs', 'shop'] } },
    { boundClaims: { [namespace]: 'jobs*' }, boundClaimsType: 'glob' },
    { boundClaims: { [namespace]: 'jobs' }, boundSubject: 'somebody' },
    { boundClaims: { sub: 'system:serviceaccount:*:deployer' }, boundClaimsType: 'glob' },
  ])('but one that says something else makes the method one of any issuer: %j', (fields) => {
    const web = { ...role, name: 'web', boundSubject: 'system:serviceaccount:shop:web' };
    const roles = [{ ...role, ...fields }, web];
    const provider = adoptedWhole({ ...emptyGraph(), methods, roles });
    expect(provider).toMatchObject({ kind: 'jwt', issuer, roles: [{ name: 'jobs' }, { name: 'web' }] });
  });
});

describe('a part is left out field by field', () => {
  const graph = declaredBy('dev');
  const [method] = graph.methods.filter(({ path }) => path === 'staff');
  const [role] = graph.roles.filter(({ method: path }) => path === 'staff');
  if (method === undefined || role === undefined) throw new Error('the dev stack has them');
  const change = (of: Partial<typeof method>, ofRole: object = {}): Graph => ({
    ...graph,
    methods: [{ ...method, ...of }, ...graph.methods.filter((one) => one !== method)],
    roles: [{ ...role, ...ofRole } as Role, ...graph.roles.filter((one) => one !== role)],
  });
  const leftOf = (given: Graph) =>
    environmentOf(given, service).left.map(({ subject, why }) => [
      subject.type,
      subject.name,
      subject.field,
      why,
    ]);

  const answers: MethodConfig = { oidcResponseTypes: ['code', 'id_token'], oidcResponseMode: 'form_post' };
  test.each<[string, Partial<MethodConfig>]>([
    ['a bound issuer', { boundIssuer: 'https://other.example' }],
    ['its own algorithms', { jwtSupportedAlgs: ['ES256', 'RS256'] }],
    ['a CA certificate', { oidcDiscoveryCaPem: certificatePem }],
    ['response types and a state without the namespace', { ...answers, namespaceInState: false }],
  ])('a method with %s is adopted whole', (_, difference) => {
    adoptedWhole(change({ config: { ...method.config, ...difference } }));
  });

  test('what no stack can declare is named, and the rest adopted', () => {
    const given = change(
      { tune: { maxLeaseTtl: 60, auditNonHmacRequestKeys: ['jwt'] } },
      { tokenStrictlyBindIp: true, tokenPoliciesTemplateClaims: true },
    );
    const why = 'no stack can declare this field: it stays as it is';
    const policies = graph.policies.map((policy) => ({ ...policy, expiration: '2030-01-01T00:00:00Z' }));
    expect(leftOf({ ...given, policies })).toEqual([
      ['method', 'staff', 'tune.auditNonHmacRequestKeys', why],
      ['role', role.name, 'tokenPoliciesTemplateClaims', why],
      ['role', role.name, 'tokenStrictlyBindIp', why],
      ...policies.map(({ name }) => ['policy', name, 'expiration', why]),
    ]);
    expect(graphDifferences(redeclared(given), given).every(({ isLeft }) => isLeft)).toBe(true);
  });

  test('a role that would let in others is left, for its field', () => {
    const [[, name, , why] = [], ...rest] = leftOf(change({}, { boundClaims: { admin: [1.5] } }));
    expect([name, why, rest]).toEqual([
      role.name,
      expect.stringMatching(/roles\.0\.boundClaims\.admin.*: must be a whole number below 2\^53/),
      [],
    ]);
  });
});

test('a role says that a default of its kind is not set', () => {
  const graph = declaredBy('dev');
  const [role] = graph.roles.filter(({ method }) => method === 'staff');
  if (role === undefined) throw new Error('the dev stack has one');
  const { oidcScopes: _scopes, groupsClaim: _claim, ...bare } = role;
  const changed = { ...graph, roles: [bare, ...graph.roles.filter((one) => one !== role)] };
  expect(graphDifferences(redeclared(changed), changed)).toEqual([]);
});

test('a group of a cluster that no role asks for is left, so that the rest can be declared', () => {
  const graph = declaredBy('dev');
  const idle = {
    ...graph,
    groups: [...graph.groups, { name: 'idle', policies: [] }],
    aliases: [...graph.aliases, { name: 'idle', method: 'cluster', group: 'idle' }],
  };
  const why = 'no role of its auth method reads groups, so no one is in it';
  expect(environmentOf(idle, service).left).toEqual([{ subject: { type: 'group', name: 'idle' }, why }]);
  expect(graphDifferences(redeclared(idle), graph)).toEqual([]);
});

describe('groups of groups', () => {
  const config = { oidcDiscoveryUrl: 'https://id.example.com', oidcClientId: 'x' };
  const method = { path: 'people', type: 'oidc' as const, config };
  const group = (name: string, ...members: string[]) => ({
    kind: 'group' as const,
    name,
    policies: ['p'],
    members: members.map((member) => ({ kind: 'group' as const, name: member })),
  });
  const adopted = (identities: Graph['identities'], described: string[] = []) => {
    const { groups, left } = environmentOf(
      {
        ...emptyGraph(),
        methods: [method],
        identities,
        groups: [{ name: 'Devs', policies: [] }],
        aliases: [{ name: 'devs', method: 'people', group: 'Devs' }],
      },
      service,
      described,
    );
    return {
      groups: groups.map(({ name }) => name),
      left: left.map(({ subject, why }) => [subject.name, why]),
    };
  };

  test('around adopted groups are adopted, at any depth', () => {
    expect(adopted([group('outer', 'inner'), group('inner', 'devs')])).toEqual({
      groups: ['outer', 'inner'],
      left: [],
    });
  });

  test('are left with those around them where a stack cannot declare one', () => {
    const { groups, left } = adopted([group('outer', 'inner'), group('inner', 'Devs')], ['inner']);
    expect(groups).toEqual([]);
    expect(left).toEqual([
      ['inner', expect.stringContaining('it has metadata')],
      ['outer', 'internal, policies p: "inner" in it is not adopted'],
    ]);
  });

  test('with people in them, or with nothing, are left', () => {
    const people = { ...group('a', 'Devs'), members: [{ kind: 'entity' as const, name: 'alice' }] };
    expect(adopted([people, group('b')]).left).toEqual([
      ['a', expect.stringContaining('it has an entity as a direct member')],
      ['b', expect.stringContaining('it has no group as a member')],
    ]);
  });
});
