import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { Role, type RoleArgs, type RoleInputs } from '../../components/role.ts';
import { named, register, registration } from '../harness/pulumi-mocks.ts';

const least: RoleArgs & RoleInputs = { method: 'ci', name: 'build', roleType: 'jwt', userClaim: 'sub' };
const bound = { ...least, boundSubject: 'kim' };
const registering = (args: Partial<RoleArgs>) => register(() => new Role('build', { ...bound, ...args }));
const inputsOf = async (args: Partial<RoleArgs>) => named(await registering(args), 'build-role').inputs;

describe('Role', () => {
  test('is a component with the official resource', async () => {
    const registered = await registering({ ttl: '1h' });
    expect(named(registered, 'build-role')).toMatchObject({
      type: 'vault:jwt/authBackendRole:AuthBackendRole',
      parent: 'build',
      aliases: ['build: vault:generic/endpoint:Endpoint '],
    });
    expect(named(registered, 'build')).toMatchObject({
      inputs: { ...bound, ttl: '1h' },
      outputs: { path: 'build-role-id' },
    });
  });

  test('takes each duration as a text or as seconds', async () => {
    const texts = {
      ttl: '1h',
      tokenMaxTtl: '90m',
      tokenExplicitMaxTtl: '7d',
      tokenPeriod: '60',
      maxAge: '8h',
    };
    const leeways = { clockSkewLeeway: '30s', expirationLeeway: '-1', notBeforeLeeway: -1 };
    const seconds = { tokenTtl: 3600, tokenMaxTtl: 5400, tokenExplicitMaxTtl: 604_800, tokenPeriod: 60 };
    const expected = {
      ...seconds,
      maxAge: 28_800,
      clockSkewLeeway: 30,
      expirationLeeway: -1,
      notBeforeLeeway: -1,
    };
    expect(await inputsOf({ ...texts, ...leeways })).toMatchObject(expected);
    expect(await inputsOf({ ttl: pulumi.output('1h'), maxAge: pulumi.output(28_800) })).toMatchObject({
      tokenTtl: 3600,
      maxAge: 28_800,
    });
    const { tokenTtl: ttl, ...same } = expected;
    expect(await inputsOf({ ttl, ...same })).toMatchObject(expected);
  });

  test.each<[string, Partial<RoleArgs>, string]>([
    ['a duration that is none', { ttl: 'a day' }, 'ttl: not a duration: "a day"'],
    ['a negative duration', { ttl: -1 }, 'ttl: not a duration: -1'],
    ['the policy root', { policies: ['Root '] }, 'policies: the policy root'],
    ['a type of token that a role cannot have', { tokenType: 'default-service' }, 'tokenType: '],
    ['a claim that no token can have', { boundClaims: { a: {} as string } }, 'boundClaims.a: '],
    [
      'what no server takes in one field',
      { tokenBoundCidrs: ['here'] },
      'tokenBoundCidrs.0: "here" is no IP',
    ],
    ['what no server takes in two', { ttl: '2h', tokenMaxTtl: '1h' }, 'ttl: it is longer than `tokenMaxTtl`'],
    ['a role that is not bound to anything', { boundSubject: undefined }, 'boundClaims: bind the role to '],
    [
      'all that is wrong together',
      { ttl: 'a day', policies: ['root'], tokenType: 'batch', tokenPeriod: '1h' },
      'root cannot be given to a role or a group\n  tokenPeriod: batch tokens cannot be renewed',
    ],
  ])('refuses %s, at once', async (_, args, message) => {
    await expect(registering(args)).rejects.toThrow(
      expect.objectContaining({ code: 'inputs_invalid', message: expect.stringContaining(message) }),
    );
  });
});

const official = {
  backend: 'ci',
  roleName: 'build',
  roleType: 'jwt',
  userClaim: 'sub',
  boundClaimsType: 'string',
};
const neverCleared = ['claimMappings', 'oidcScopes', 'allowedRedirectUris', 'maxAge'];
const parent = () => new pulumi.ComponentResource('test:index:Parent', 'parent');
const officialOf = async (fields: Partial<RoleInputs>) =>
  named(await register(() => Role.official('build', { ...least, ...fields }, parent())), 'build');

describe('the official resource of a role (hashicorp/terraform-provider-vault vault/resource_jwt_auth_backend_role.go)', () => {
  test('registers the official resource and nothing else, deleted before it is replaced', async () => {
    const registered = await register(() => Role.official('build', least, parent()));
    expect(registered.filter(({ name }) => name !== 'parent')).toEqual([
      registration('test:index:Parent$vault:jwt/authBackendRole:AuthBackendRole', 'build', {
        inputs: official,
        parent: 'parent',
        deleteBeforeReplace: true,
        replaceOnChanges: neverCleared,
        replacementTrigger: 'vault:jwt/authBackendRole:AuthBackendRole',
        aliases: ['parent: vault:generic/endpoint:Endpoint '],
      }),
    ]);
  });

  const replacing = async (fields: Partial<RoleInputs>) => (await officialOf(fields)).replaceOnChanges;

  test('a field that an update never clears replaces the role only where it is not given', async () => {
    const given: Partial<RoleInputs> = {
      claimMappings: { a: 'b' },
      oidcScopes: ['email'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback'],
      maxAge: 60,
    };
    expect(await replacing(given)).toBeUndefined();
    expect(await replacing({ ...given, maxAge: 0, oidcScopes: [] })).toEqual(['oidcScopes', 'maxAge']);
    expect(await replacing({ ...given, claimMappings: {} })).toEqual(['claimMappings']);
  });

  test('an output may turn out to be empty: its field replaces the role', async () => {
    expect(await replacing({ maxAge: pulumi.output(60) })).toEqual(neverCleared);
  });

  test('writes policies and ttl in their newer spelling', async () => {
    expect((await officialOf({ policies: ['read'], ttl: 3_600 })).inputs).toEqual({
      ...official,
      tokenPolicies: ['read'],
      tokenTtl: 3_600,
    });
  });

  test('hands every other argument on as it is', async () => {
    const same: Partial<RoleInputs> = {
      userClaimJsonPointer: true,
      boundAudiences: ['a'],
      boundSubject: 's',
      boundClaimsType: 'glob',
      groupsClaim: 'groups',
      claimMappings: { a: 'b' },
      oidcScopes: ['email'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback'],
      tokenMaxTtl: 1,
      tokenExplicitMaxTtl: 2,
      tokenPeriod: 3,
      tokenNumUses: 4,
      tokenNoDefaultPolicy: true,
      tokenBoundCidrs: ['127.0.0.1/32'],
      tokenType: 'batch',
      clockSkewLeeway: -1,
      expirationLeeway: 5,
      notBeforeLeeway: 6,
      maxAge: 7,
      verboseOidcLogging: true,
    };
    expect((await officialOf(same)).inputs).toEqual({ ...official, ...same });
  });
});

describe('the official resource of a role with bound claims', () => {
  const cases: [string, Record<string, string | string[]>, object][] = [
    ['one text', { team: 'a' }, { boundClaims: { team: 'a' } }],
    ['a list of one', { team: ['a'] }, { boundClaims: { team: 'a' } }],
    [
      'several texts, joined with commas',
      { team: ['a', 'b'], org: 'c' },
      { boundClaims: { team: 'a,b', org: 'c' } },
    ],
    [
      'a text with a comma, which must not be split',
      { dn: 'cn=a,dc=b', org: ['c'] },
      { boundClaims: { dn: 'cn=a,dc=b', org: 'c' }, disableBoundClaimsParsing: true },
    ],
  ];

  test.each(cases)('takes %s', async (_, boundClaims, expected) => {
    expect((await officialOf({ boundClaims })).inputs).toEqual({ ...official, ...expected });
  });

  test.each(cases)('takes, from outputs, %s', async (_, boundClaims, expected) => {
    expect((await officialOf({ boundClaims: pulumi.output(boundClaims) })).inputs).toEqual({
      ...official,
      ...expected,
    });
  });

  test('takes an output of nothing', async () => {
    const nothing = pulumi.output<any>(undefined) as RoleInputs['boundClaims'];
    expect((await officialOf({ boundClaims: nothing })).inputs).toEqual(official);
  });

  test('are compared as texts where an output says nothing else', async () => {
    const boundClaimsType = pulumi.output<any>(undefined) as RoleInputs['boundClaimsType'];
    expect((await officialOf({ boundClaimsType })).inputs).toEqual(official);
  });

  test.each<[string, RoleInputs['boundClaims']]>([
    ['a text with a comma beside a list of several', { dn: 'cn=a,dc=b', org: ['c', 'd'] }],
    ['a boolean', { admin: true }],
    ['a number in a list', { level: ['one', 2] }],
    ['a blank at the end of a text', { team: 'a ' }],
  ])(
    'refuses what the official resource cannot hold, where that was not known before: %s',
    async (_, boundClaims) => {
      const later = pulumi.output(boundClaims);
      expect(() => Role.official('build', { ...least, boundClaims }, parent(), later)).toThrow(
        expect.objectContaining({ code: 'bound_claims_typed' }),
      );
    },
  );
});
