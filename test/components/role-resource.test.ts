import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { type RoleArgs, RoleResource } from '../../components/role-resource.ts';
import { register, registration } from '../harness/pulumi-mocks.ts';

const least: RoleArgs = { method: 'ci', name: 'build', roleType: 'jwt', userClaim: 'sub' };
const official = {
  ...{ backend: 'ci', roleName: 'build', roleType: 'jwt', userClaim: 'sub' },
  boundClaimsType: 'string',
};
const neverCleared = ['claimMappings', 'oidcScopes', 'allowedRedirectUris', 'maxAge'];
const inputsOf = async (args: Partial<RoleArgs>) => {
  const [role] = await register(() => new RoleResource('build', { ...least, ...args }));
  return role?.inputs;
};

describe('RoleResource (hashicorp/terraform-provider-vault vault/resource_jwt_auth_backend_role.go)', () => {
  test('registers the official resource and nothing else, deleted before it is replaced', async () => {
    expect(await register(() => new RoleResource('build', least))).toEqual([
      registration('vault:jwt/authBackendRole:AuthBackendRole', 'build', {
        inputs: official,
        deleteBeforeReplace: true,
        replaceOnChanges: neverCleared,
        replacementTrigger: 'vault:jwt/authBackendRole:AuthBackendRole',
        aliases: [': vault:generic/endpoint:Endpoint '],
      }),
    ]);
  });

  const replacing = async (args: Partial<RoleArgs>, opts?: pulumi.CustomResourceOptions) => {
    const [role] = await register(() => new RoleResource('build', { ...least, ...args }, opts));
    return role?.replaceOnChanges;
  };

  test('a field that an update never clears replaces the role only where it is not given', async () => {
    const given: Partial<RoleArgs> = {
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
    expect(await replacing({ oidcScopes: [pulumi.output('email')] })).not.toContain('oidcScopes');
  });

  test('what else is to replace it stays', async () => {
    const opts = { replaceOnChanges: ['tokenType'] };
    expect(await replacing({}, opts)).toEqual(['tokenType', ...neverCleared]);
  });

  test('keeps the options it is given', async () => {
    const parent = () => new pulumi.ComponentResource('test:index:Parent', 'parent');
    const registered = await register(() => new RoleResource('build', least, { parent: parent() }));
    expect(registered.find(({ name }) => name === 'build')).toMatchObject({
      parent: 'parent',
      deleteBeforeReplace: true,
    });
  });

  test('writes policies and ttl in their newer spelling', async () => {
    expect(await inputsOf({ policies: ['read'], ttl: 3_600 })).toEqual({
      ...official,
      tokenPolicies: ['read'],
      tokenTtl: 3_600,
    });
  });

  test('hands every other argument on as it is', async () => {
    const same: Partial<RoleArgs> = {
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
    expect(await inputsOf(same)).toEqual({ ...official, ...same });
  });
});

describe('RoleResource with bound claims', () => {
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
    expect(await inputsOf({ boundClaims })).toEqual({ ...official, ...expected });
  });

  test.each(cases)('takes, from outputs, %s', async (_, boundClaims, expected) => {
    expect(await inputsOf({ boundClaims: pulumi.output(boundClaims) })).toEqual({ ...official, ...expected });
  });

  test('takes an output of nothing', async () => {
    const nothing = pulumi.output(undefined) as unknown as RoleArgs['boundClaims'];
    expect(await inputsOf({ boundClaims: nothing })).toEqual(official);
  });

  test('are compared as texts where an output says nothing else', async () => {
    const boundClaimsType = pulumi.output(undefined) as unknown as RoleArgs['boundClaimsType'];
    expect(await inputsOf({ boundClaimsType })).toEqual(official);
  });

  test.each<[string, RoleArgs['boundClaims']]>([
    ['a text with a comma beside a list of several', { dn: 'cn=a,dc=b', org: ['c', 'd'] }],
    ['a boolean', { admin: true }],
    ['a number in a list', { level: ['one', 2] }],
    ['a blank at the end of a text', { team: 'a ' }],
  ])('refuses at once what the official resource cannot hold: %s', (_, boundClaims) => {
    expect(() => new RoleResource('build', { ...least, boundClaims })).toThrow(
      expect.objectContaining({ code: 'bound_claims_typed' }),
    );
  });
});
