import { expect, test } from '@jest/globals';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import type { BoundClaims, BoundValue } from '../../src/graph/resources/bound-claims.ts';
import { roleBody } from '../../src/graph/resources/role-body.ts';
import { checkBoundClaims } from '../../src/login/bound-claims.ts';
import type { Claims } from '../../src/login/claims.ts';
import { LoginRefused } from '../../src/login/login-refused.ts';

const bounds: (BoundValue | BoundValue[])[] = [
  true,
  false,
  'true',
  0,
  1,
  '1',
  -7,
  2 ** 53 - 1,
  [1, '2', true],
  [false, 'x, y'],
  ' x',
];
const claims: unknown[] = [
  true,
  false,
  'true',
  'false',
  0,
  1,
  '1',
  -7,
  '-7',
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  2,
  '2',
  'x',
  ' x',
  'x, y',
  null,
  {},
  [],
  [1],
  ['1'],
  [true],
  ['2', 5],
  [false, {}],
  ['x, y'],
  ['x', 'y'],
  [[true]],
];

/** What packages/core/src/login says of a token with the claim. */
function decided(boundClaims: BoundClaims, given: Claims): boolean {
  try {
    checkBoundClaims({ name: 'typed', roleType: 'jwt', userClaim: 'sub', boundClaims }, given);
    return true;
  } catch (error) {
    if (error instanceof LoginRefused) return false;
    throw error;
  }
}

describeOnBothServers('typed bound claims', (service) => {
  test('let in exactly whom packages/core/src/login lets in, for every pair of types', async () => {
    const client = new ServiceClient(service());
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    await client.post('sys/auth/typed', { type: 'jwt' });
    await client.post('auth/typed/config', { jwt_validation_pubkeys: [await exportSPKI(publicKey)] });
    const sign = (given: object) =>
      new SignJWT({ ...given })
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject('web')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey);
    const tokens = await Promise.all(claims.map((claim) => sign({ claim })));
    for (const bound of bounds) {
      const boundClaims = { claim: bound };
      const body = roleBody({ roleType: 'jwt', userClaim: 'sub', boundClaims });
      await client.put('auth/typed/role/typed', body as never);
      const answers = await Promise.all(
        tokens.map((jwt) =>
          client.post('auth/typed/login', { role: 'typed', jwt }).then(
            () => true,
            (error: Error) => {
              if (!/error validating claims/.test(error.message)) throw error;
              return false;
            },
          ),
        ),
      );
      const shown = (all: boolean[]) => claims.filter((_, index) => all[index]);
      expect([bound, shown(answers)]).toEqual([
        bound,
        shown(claims.map((claim) => decided(boundClaims, { sub: 'web', claim }))),
      ]);
    }
    client.close();
  });
});
