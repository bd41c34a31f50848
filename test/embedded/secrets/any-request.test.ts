import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ask } from '../../harness/ask.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { MemoryStorage } from '../../harness/memory-storage.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const messages = 'sys/config/ui/custom-messages';

const storage = new MemoryStorage();
const stored = () => JSON.stringify(storage.list(''));
let service: Awaited<ReturnType<typeof startEmbeddedService>>;
beforeAll(async () => {
  service = await startEmbeddedService({ storage });
  await ask(service, { method: 'POST', path: 'sys/auth/staff', body: { type: 'jwt' } });
  await ask(service, { method: 'POST', path: 'sys/auth/people', body: { type: 'oidc' } });
  await ask(service, { method: 'POST', path: 'identity/group', body: { name: 'team', type: 'external' } });
});
afterAll(() => service.close());

describe('whatever is asked', () => {
  const names = ['staff', 'people', 'none', 'x', '..', '%00', 'team', 'role', 'a/b'];
  const roots = [
    'sys/auth',
    'sys/mounts',
    'sys/mounts/auth/staff/tune',
    'sys/policies/acl',
    'sys/namespaces',
    'sys/internal/ui/mounts',
    'sys/remount',
    'sys/capabilities-self',
    'auth/staff/config',
    'auth/staff/role',
    'auth/staff/login',
    'auth/people/oidc/auth_url',
    'auth/people/oidc/callback',
    'auth/token/create',
    'auth/token/lookup',
    'auth/token/renew-accessor',
    'identity/group',
    'identity/group/name',
    'identity/group-alias',
    'identity/group-alias/id',
    'identity/entity/id',
    'identity/lookup/group',
    messages,
  ];
  const fieldNames = [
    ...['type', 'config', 'name', 'policies', 'policy', 'title', 'message', 'link', 'start_time', 'end_time'],
    ...[
      'user_claim',
      'role_type',
      'bound_claims',
      'token_ttl',
      'bound_audiences',
      'jwt',
      'role',
      'from',
      'to',
    ],
    ...['member_entity_ids', 'metadata', 'mount_accessor', 'canonical_id', 'ttl', 'num_uses', 'bound_cidrs'],
    ...[
      'jwks_url',
      'jwks_pairs',
      'jwt_validation_pubkeys',
      'provider_config',
      'paths',
      'token',
      'accessor',
      'id',
    ],
  ];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('jwt', 'oidc', 'external', 'staff', 'auth/staff', '1h', '-1', 'sub', pem),
  );
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'LIST'),
    path: fc
      .tuple(fc.constantFrom(...roots), fc.constantFrom('', ...names.map((name) => `/${name}`)))
      .map((parts) => parts.join('')),
    body: fc.dictionary(fc.constantFrom(...fieldNames), value, { maxKeys: 5, noNullPrototype: true }),
  });

  test('is never answered with 500, and what is refused leaves nothing behind', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, body }) => {
        const before = stored();
        const response = await fetch(`${service.address}/v1/${path}`, {
          method,
          headers: { 'X-Secrets-Token': service.token },
          body: method === 'POST' || method === 'PUT' ? JSON.stringify(body) : undefined,
        });
        await response.text();
        seen.add(response.status);
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400) expect(stored()).toBe(before);
      }),
      { numRuns: 400 },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405]));
  });
});
