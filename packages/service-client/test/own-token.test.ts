import { describe, expect, test } from '@jest/globals';
import { readOwnToken } from '../src/own-token.ts';

const read = (data: Record<string, unknown>) =>
  readOwnToken({ read: async () => ({ data: { policies: ['default'], ...data } }) });

describe('what a service says of the token that asks', () => {
  test('has each policy with the namespace of the token', async () => {
    const { namespace, policies } = await read({ namespace_path: 'team/a/', identity_policies: ['ops'] });
    expect(namespace).toBe('team/a');
    expect(policies).toEqual([
      { namespace: 'team/a', name: 'default' },
      { namespace: 'team/a', name: 'ops' },
    ]);
  });

  test.each([
    ['nothing', undefined],
    ['an empty path', ''],
    ['root', 'root'],
  ])('is in the root namespace where its path is %s', async (_, namespace_path) => {
    expect((await read({ namespace_path })).namespace).toBe('');
  });

  test('has no root by its identity, and no policies of other namespaces', async () => {
    const given = { identity_policies: ['Root', ' root'], external_namespace_policies: { n1: ['ops'] } };
    expect((await read(given)).policies).toEqual([{ namespace: '', name: 'default' }]);
  });

  test('names the role that it was signed in with', async () => {
    const path = 'auth/team/ci/login';
    expect((await read({ path, meta: { role: 'web' } })).role).toEqual({ method: 'team/ci', name: 'web' });
    expect((await read({ path: 'auth/token/create', meta: { role: 'web' } })).role).toBeUndefined();
  });
});
