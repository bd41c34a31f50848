import { describe, expect, test } from '@jest/globals';
import { roleBody } from '../../../../core/model/resources/role-body.ts';
import { compose, entry } from './terraform.ts';

const body = roleBody({
  roleType: 'jwt',
  userClaim: 'sub',
  boundClaims: { admin: true, dn: ['a,b', 'c'] },
  policies: ['p'],
});
const write = (data: object, path = 'auth/ci/role/web') =>
  entry('vault_generic_endpoint.web', {
    after: { path, data_json: JSON.stringify(data) },
    after_sensitive: { data_json: true },
  });

describe('a write to any path', () => {
  test('that is a whole role is judged as the role, with its claims as they are', () => {
    const { after, unknown } = compose([write(body)]);
    expect(after.others).toBeUndefined();
    expect(unknown).toEqual([]);
    expect(after.roles).toMatchObject([
      { method: 'ci', name: 'web', policies: ['p'], boundClaims: { admin: true, dn: ['a,b', 'c'] } },
    ]);
  });

  test.each<[string, object]>([
    ['a part of a role, which keeps what it had', write({ user_claim: 'sub', token_policies: ['p'] })],
    ['more than a role', write({ ...body, cel_program: 'true' })],
    ['a role elsewhere', write(body, 'auth/ci/login')],
    [
      'no object',
      entry('vault_generic_endpoint.web', { after: { path: 'auth/ci/role/web', data_json: '[]' } }),
    ],
  ])('that is %s stays a write', (_, change) => {
    const { after } = compose([change]);
    expect(after.roles).toEqual([]);
    expect(after.others).toHaveLength(1);
  });
});
