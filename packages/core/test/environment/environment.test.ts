import { describe, expect, test } from '@jest/globals';
import { identityPath, parseEnvironment } from '../../src/environment/environment.ts';
import { baseSetting } from '../../src/graph/kinds/kind.ts';
import { kindById, kinds, providerKinds } from '../../src/graph/kinds/kinds.ts';
import { resources } from '../../src/graph/resources/resources.ts';
import { keyPem } from '../pems.ts';
import {
  givenEnvironment,
  givenProvider,
  givenMessage as message,
  problemsOf,
  problemsOfProvider,
} from './environment-fixture.ts';

/** Every kind with its product, as errors list them. */
const allowed = providerKinds.map((kind) => `${kind} (${kinds[kind].products[0]})`).join(', ');
const source = (settings: Record<string, unknown> = {}) => givenProvider('source_hosting', settings);
const withRole = (fields: Record<string, unknown>) => ({ roles: [{ name: 'reader', ...fields }] });
const role = (fields: Record<string, unknown>) => source(withRole(fields));

describe('parseEnvironment', () => {
  test('fills in the defaults of an environment that says nothing but its service', () => {
    expect(parseEnvironment({ service: { address: 'https://secrets.example.com:8200/' } })).toEqual({
      service: {
        address: 'https://secrets.example.com:8200',
        dialect: 'vault',
        features: { messages: true },
      },
      providers: [],
      clientSecrets: [],
      serviceAccountKeys: [],
      runTaskKeys: [],
      runTasks: [],
      deployments: { confirm: 'never' },
      groups: [],
      policies: [],
      messages: [],
      namespaces: [],
      promises: [],
      exceptions: [],
      known: [],
      rules: { disabled: {} },
      ...Object.fromEntries(resources.flatMap(({ yaml }) => (yaml?.settings ? [[yaml.list, []]] : []))),
    });
  });

  test('understands a kind by the name of its product', () => {
    const given = { ...givenProvider('cloud_directory'), kind: 'Microsoft Entra ID' };
    expect(parseEnvironment(givenEnvironment([given])).providers[0]?.kind).toBe('cloud_directory');
  });

  test('understands the spellings tokenPolicies and tokenTtl', () => {
    const [provider] = parseEnvironment(
      givenEnvironment([role({ tokenPolicies: 'a, b', tokenTtl: '90m' })]),
    ).providers;
    expect(provider?.roles).toEqual([{ name: 'reader', policies: ['a', 'b'], ttl: 5_400 }]);
  });

  test('lower-cases names of roles and policies as the service does', () => {
    const parsed = parseEnvironment(
      givenEnvironment([source({ defaultRole: 'READER', roles: [{ name: 'Reader' }] })], {
        policies: [{ name: 'Read', policy: 'path "a" {}' }],
      }),
    );
    expect([parsed.providers[0]?.defaultRole, parsed.providers[0]?.roles[0]?.name]).toEqual([
      'reader',
      'reader',
    ]);
    expect(parsed.policies[0]?.name).toBe('read');
  });
});

describe('parseEnvironment with an identity provider that stands in', () => {
  const standIn = { identity: { address: 'http://127.0.0.1:8260/' } };
  test.each(providerKinds)('gives %s the authority below its address', (kind) => {
    const { authority, domain, issuer, ...own } = givenProvider(kind);
    for (const setting of kindById(kind).insteadOfIssuer ?? []) delete own[setting];
    const [provider] = parseEnvironment(givenEnvironment([own], standIn)).providers as Record<
      string,
      unknown
    >[];
    const field = baseSetting(kindById(kind).issuer);
    expect(provider?.[field]).toBe(`http://127.0.0.1:8260${identityPath(kind)}`);
  });

  test('leaves a provider that names its own authority alone', () => {
    const given = givenEnvironment([source({ authority: 'https://git.example.com' })], standIn);
    expect(parseEnvironment(given).providers[0]).toMatchObject({ authority: 'https://git.example.com' });
  });

  test.each(['issuer', 'apiServer', 'publicKeys', 'jwks'])(
    'leaves a cluster that gives %s alone',
    (field) => {
      const value = { publicKeys: [keyPem], jwks: { keys: [{}] } }[field] ?? 'https://cluster.example.com';
      const cluster = { kind: 'container_orchestrator', name: 'it', [field]: value };
      const [provider] = parseEnvironment(givenEnvironment([cluster], standIn)).providers as Record<
        string,
        unknown
      >[];
      expect(provider?.['issuer']).toBe(field === 'issuer' ? value : undefined);
    },
  );
});

describe('parseEnvironment refuses', () => {
  const one = 'https://secrets.example.com';
  const problems = (given: object) => problemsOf({ service: { address: one }, ...given });

  test.each(['secrets', 'file:///etc/passwd'])('the address %s', (address) => {
    expect(problems({ service: { address } })).toEqual([
      'gatehouse:service.address: must be an http or https URL',
    ]);
  });

  test.each([`${one}/vault`, `${one}/?a=b`, `${one}#a`, 'https://a:hunter2@secrets.example.com'])(
    'an address with more than scheme, host and port: %s',
    (address) => {
      expect(problems({ service: { address } })).toEqual([
        'gatehouse:service.address: scheme, host and port are all that it may hold',
      ]);
    },
  );

  test.each([{}, { policy: 'path "a" {}', file: 'a.hcl' }])('a policy with %j', (given) => {
    expect(problems({ policies: [{ name: 'a', ...given }] })).toEqual([
      'gatehouse:policies[0]: give exactly one of policy (the text) and file (a .hcl file)',
    ]);
  });

  const refused: Record<string, object> = {
    'gatehouse: unknown key `color`': { color: 'red' },
    'gatehouse:service: this field is required (a map)': { service: undefined },
    'gatehouse:service.dialect: Invalid option: expected one of "neutral"|"vault"': {
      service: { address: one, dialect: 'french' },
    },
    'gatehouse:service: unknown key `token`; secrets have their own key: gatehouse:clientSecrets, gatehouse:serviceAccountKeys, gatehouse:runTaskKeys':
      { service: { address: one, token: 'x' } },
    'gatehouse:providers: must be a list, not a map': { providers: {} },
    'gatehouse:providers[0]: must be a map, not text': { providers: ['staff'] },
    [`gatehouse:providers[0].kind: unknown provider kind; allowed: ${allowed}`]: {
      providers: [{ kind: 'ldap', name: 'it' }],
      clientSecrets: ['it'],
    },
    [`gatehouse:providers[0].kind: unknown provider kind; allowed: ${allowed}; did you mean open_source_identity_server (Keycloak)?`]:
      { providers: [{ kind: 'keycloack', name: 'it' }], clientSecrets: ['it'] },
    [`gatehouse:providers[0].kind: no provider kind is given; allowed: ${allowed}`]: {
      providers: [{ name: 'it' }],
      clientSecrets: ['it'],
    },
    'gatehouse:policies[0].file: a policy file ends in .hcl': { policies: [{ name: 'a', file: 'a.json' }] },
    'gatehouse:policies[0].name: the policy root is the service’s own and cannot be declared': {
      policies: [{ name: 'Root', policy: 'path "a" {}' }],
    },
    'gatehouse:messages: a namespace holds at most 100 messages': {
      messages: Array.from({ length: 101 }, (_, index) => message({ title: `Message ${index}` })),
    },
  };
  test.each(Object.entries(refused))('%s', (problem, given) => {
    expect(problems(given)).toEqual([problem]);
  });

  const refusedOfProvider: Record<string, Record<string, unknown>> = {
    'name: a provider name has only letters, digits, `_` and `-`': { name: 'my staff' },
    'path: a path has no blanks and no slash at its ends': { path: 'oidc/' },
    'clientId: this field is required (text)': { clientId: undefined },
    'clientId: must be text, not a number': { clientId: 7 },
    'description: must be text, not null': { description: null },
    'authority: give the URL without its /.well-known/… suffix': {
      authority: 'https://git.example.com/.well-known/openid-configuration',
    },
    'roles[0].name: a role name has letters, digits, `_`, `-` and `.` only, and neither begins nor ends with `-` or `.`':
      withRole({ name: 'a/b' }),
    'roles[0]: unknown key `color`': withRole({ color: 'red' }),
    'roles[0].policies: must be a list of texts, or one text with commas': withRole({ policies: 7 }),
    'defaultRole: no role of this provider is named "admin"': { defaultRole: 'admin' },
  };
  test.each(Object.entries(refusedOfProvider))('of a provider: %s', (problem, settings) => {
    expect(problemsOfProvider('source_hosting', settings)).toEqual([problem]);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [withRole({ ttl: 'soon' }), /^roles\[0\]\.ttl: not a duration: "soon"; allowed: /],
    [withRole({ clockSkewLeeway: -2 }), /^roles\[0\]\.clockSkewLeeway: /],
    [{ groups: [{ name: 'admins', alias: '' }] }, /^groups\[0\]\.alias: /],
  ])('%j', (settings, problem) => {
    expect(problemsOfProvider('source_hosting', settings)).toEqual([expect.stringMatching(problem)]);
  });

  test('no address', () => {
    expect(problems({ service: {} })).toEqual([expect.stringMatching(/^gatehouse:service\.address: /)]);
  });

  test('as many as 100 messages not', () => {
    const messages = Array.from({ length: 100 }, (_, index) => message({ title: `Message ${index}` }));
    expect(problemsOf({ service: { address: one }, messages })).toEqual([]);
  });

  test.each([1.5, 2 ** 53, null, '', {}, [[]]])('%j in a bound claim, with the reason', (value) => {
    for (const bound of [value, ['text', value]]) {
      const [problem] = problemsOf(givenEnvironment([role({ boundClaims: { admin: bound } })]));
      expect(problem).toMatch(/^gatehouse:providers\[0\]\.roles\[0\]\.boundClaims\.admin/);
      if (typeof value !== 'number') continue;
      expect(problem).toContain('must be a whole number below 2^53: a service compares no others');
    }
  });

  test('a boolean in a bound claim with globs, of which services take texts only', () => {
    const boundClaims = { ref: 'release/*', admin: true };
    const given = givenEnvironment([role({ boundClaims, boundClaimsType: 'glob' })]);
    expect(problemsOf(given)).toEqual([
      'gatehouse:providers[0].roles[0].boundClaims: with globs a service takes texts only: leave `boundClaimsType` out, or use texts',
    ]);
  });

  test.each(['root', 'Root', ' ROOT '])('the policy %j given to a role or a group', (name) => {
    const problems = problemsOf(
      givenEnvironment([
        source({
          roles: [{ name: 'reader', policies: [name] }],
          groups: [{ name: 'admins', alias: 'a', policies: ['read', name] }],
        }),
      ]),
    );
    expect(problems).toEqual([
      'gatehouse:providers[0].groups[0].policies: the policy root cannot be given to a role or a group',
      'gatehouse:providers[0].roles[0].policies: the policy root cannot be given to a role or a group',
    ]);
  });
});
