import { mock } from 'node:test';
import { afterEach, expect, test } from '@jest/globals';
import { createMemoryAdapter } from '../../src/identity-provider/memory-adapter.ts';

// The expectations of an adapter: panva/node-oidc-provider lib/adapters/memory_adapter.js.
afterEach(() => {
  mock.timers.reset();
});

test('what has expired is not found', async () => {
  mock.timers.enable({ apis: ['Date'] });
  const adapter = createMemoryAdapter()('AuthorizationCode');
  await adapter.upsert('1', {}, 60);
  mock.timers.setTime(60_000);
  expect(await adapter.find('1')).toBeUndefined();
});

test('a code that was consumed says when, in seconds', async () => {
  mock.timers.enable({ apis: ['Date'], now: 5_000 });
  const adapter = createMemoryAdapter()('AuthorizationCode');
  await adapter.upsert('1', {});
  await adapter.consume('1');
  expect(await adapter.find('1')).toEqual({ consumed: 5 });
});

test('revoking a grant removes what one model gave for it, and nothing else', async () => {
  const adapter = createMemoryAdapter();
  await adapter('AccessToken').upsert('1', { grantId: 'g' });
  await adapter('AccessToken').upsert('2', { grantId: 'other' });
  await adapter('Interaction').upsert('3', { grantId: 'g' });
  await adapter('AccessToken').revokeByGrantId('g');
  expect(await adapter('AccessToken').find('1')).toBeUndefined();
  expect(await adapter('AccessToken').find('2')).toEqual({ grantId: 'other' });
  expect(await adapter('Interaction').find('3')).toEqual({ grantId: 'g' });
});

test('the oldest of more than 5,000 entries go first', async () => {
  const adapter = createMemoryAdapter()('Session');
  for (let id = 0; id <= 5_000; id += 1) await adapter.upsert(String(id), {});
  expect([await adapter.find('0'), await adapter.find('1')]).toEqual([undefined, {}]);
});
