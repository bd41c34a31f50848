import { beforeAll, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { started } from '../../../../test/harness/started.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';

const subject = 'system:serviceaccount:shop:checkout';
const identity = started(startIdentity);
let keys: ReturnType<typeof createRemoteJWKSet>;
beforeAll(() => {
  keys = createRemoteJWKSet(new URL(`${identity().issuers.container_orchestrator}/openid/v1/jwks`));
});

test('a service account’s token says what an orchestrator’s says', async () => {
  const token = await identity().signWorkloadToken({ subject, audience: 'secrets' });
  const { payload } = await jwtVerify(token, keys, {
    issuer: identity().issuers.container_orchestrator,
    audience: 'secrets',
    subject,
    requiredClaims: ['iat', 'nbf', 'exp', 'jti'],
  });
  expect(payload['kubernetes.io']).toEqual({
    namespace: 'shop',
    serviceaccount: { name: 'checkout', uid: expect.any(String) },
  });
});

test('a token is for its issuer where no audience is given', async () => {
  const { payload } = await jwtVerify(await identity().signWorkloadToken({ subject }), keys);
  expect(payload.aud).toEqual([identity().issuers.container_orchestrator]);
});

test('a token lives an hour where nothing else is said', async () => {
  const { payload } = await jwtVerify(await identity().signWorkloadToken({ subject }), keys);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
});

test('claims of one’s own go before the usual ones', async () => {
  const token = await identity().signWorkloadToken({ subject, claims: { iss: 'https://elsewhere.example' } });
  expect((await jwtVerify(token, keys)).payload.iss).toBe('https://elsewhere.example');
});

test('another kind signs with its own key and no claims of an orchestrator', async () => {
  const token = await identity().signWorkloadToken({
    kind: 'source_hosting',
    subject: 'project_path:shop/web',
  });
  const own = createRemoteJWKSet(new URL(`${identity().issuers.source_hosting}/jwks`));
  const { payload } = await jwtVerify(token, own, { issuer: identity().issuers.source_hosting });
  expect(payload).not.toHaveProperty(['kubernetes.io']);
});
