import { expect, test } from '@jest/globals';
import { describeOnBothServers } from '../../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import type { RoleFields } from '../../../src/graph/resources/role.ts';
import { roleBody } from '../../../src/graph/resources/role-body.ts';

const pem =
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\nq9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==\n-----END PUBLIC KEY-----';
const least: RoleFields = { roleType: 'jwt', userClaim: 'sub', boundClaims: { admin: true } };
const roles: [string, RoleFields][] = [
  ['the least', least],
  [
    'everything',
    {
      ...least,
      userClaimJsonPointer: true,
      boundAudiences: ['b', 'a', 'B', 'a'],
      boundSubject: 'somebody',
      boundClaims: { z: true, a: [1, 'x, y', false], t: 'x ', '/a/b': '<&>' },
      groupsClaim: 'groups',
      claimMappings: { b: 'a', a: 'b' },
      oidcScopes: ['y', 'x'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback'],
      policies: ['Zeta', 'alpha', 'alpha'],
      ttl: 3600,
      tokenMaxTtl: 7200,
      tokenExplicitMaxTtl: 9000,
      tokenPeriod: 60,
      tokenNumUses: 3,
      tokenNoDefaultPolicy: true,
      tokenBoundCidrs: ['10.0.0.0/8', '127.0.0.1/32', '2001:db8::1/128', '10.1.2.3'],
      tokenType: 'service',
      clockSkewLeeway: 5,
      expirationLeeway: -1,
      notBeforeLeeway: 7,
      maxAge: 100,
    },
  ],
  ['the least again, with nothing left of what was', least],
  ['globs', { ...least, boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' }],
  ['people', { ...least, roleType: 'oidc', allowedRedirectUris: ['http://localhost:8250/oidc/callback'] }],
];

describeOnBothServers('the whole body of a role', (service) => {
  test('is read back as it was written', async () => {
    const client = new ServiceClient(service());
    await client.post('sys/auth/ci', { type: 'jwt' });
    await client.post('auth/ci/config', { jwt_validation_pubkeys: [pem] });
    for (const [name, role] of roles) {
      const body = roleBody(role);
      await client.put('auth/ci/role/web', body as never);
      const { data = {} } = (await client.read('auth/ci/role/web')) ?? {};
      expect([name, Object.fromEntries(Object.keys(body).map((field) => [field, data[field]]))]).toEqual([
        name,
        body,
      ]);
    }
    client.close();
  });
});
