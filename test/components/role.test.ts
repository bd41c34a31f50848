import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { Role } from '../../components/role.ts';
import type { RoleArgs } from '../../components/role-resource.ts';
import { named, register } from '../harness/pulumi-mocks.ts';

const least: RoleArgs = { method: 'ci', name: 'build', roleType: 'jwt', userClaim: 'sub' };
const registering = (args: Partial<RoleArgs>) => register(() => new Role('build', { ...least, ...args }));
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
      inputs: { ...least, ttl: '1h' },
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
      ...{ ...seconds, maxAge: 28_800 },
      ...{ clockSkewLeeway: 30, expirationLeeway: -1, notBeforeLeeway: -1 },
    };
    expect(await inputsOf({ ...texts, ...leeways })).toMatchObject(expected);
    expect(await inputsOf({ ttl: pulumi.output('1h'), maxAge: pulumi.output(28_800) })).toMatchObject({
      ...{ tokenTtl: 3600, maxAge: 28_800 },
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
  ])('refuses %s, at once', async (_, args, message) => {
    await expect(registering(args)).rejects.toThrow(
      expect.objectContaining({ code: 'inputs_invalid', message: expect.stringContaining(message) }),
    );
  });
});
