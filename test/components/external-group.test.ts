import { describe, expect, test } from '@jest/globals';
import { ExternalGroup } from '../../components/external-group.ts';
import { InternalGroup } from '../../components/internal-group.ts';
import { named, register, registration } from '../harness/pulumi-mocks.ts';

const type = 'gatehouse:index:ExternalGroup';

const args = {
  name: 'Admins',
  policies: ['admin'],
  metadata: { team: 'a' },
  alias: '00000000-0000-0000-c000-000000000046',
  mountAccessor: 'auth_oidc_1',
};

describe('ExternalGroup', () => {
  test('registers itself, an external group and the alias that ties it to the provider’s group', async () => {
    const registered = await register(() => new ExternalGroup('admins', args));
    expect(registered).toEqual([
      registration(`${type}$vault:identity/group:Group`, 'admins-group', {
        inputs: { name: 'Admins', type: 'external', policies: ['admin'], metadata: { team: 'a' } },
        parent: 'admins',
      }),
      registration(`${type}$vault:identity/groupAlias:GroupAlias`, 'admins-alias', {
        deleteBeforeReplace: true,
        replaceOnChanges: ['canonicalId'],
        inputs: {
          name: '00000000-0000-0000-c000-000000000046',
          mountAccessor: 'auth_oidc_1',
          canonicalId: 'admins-group-id',
        },
        parent: 'admins',
        dependencies: ['admins-group'],
      }),
      registration(type, 'admins', { inputs: args, outputs: { groupId: 'admins-group-id' } }),
    ]);
  });

  test('has an alias that is found where its resource gets a name of its own', async () => {
    const registered = await register(
      () => new ExternalGroup('admins', { ...args, aliasResource: 'staff-admins' }),
    );
    expect(named(registered, 'staff-admins').aliases).toEqual(['admins:  admins-alias']);
  });

  test.each([
    ['a name with a dot between slashes', { name: 'a/../b' }, 'name: a name has something other than `.`'],
    ['the policy root', { policies: ['root'] }, 'policies: the policy root'],
    ['metadata that no service keeps', { metadata: { 'a b': 'c' } }, 'key contains invalid characters'],
  ])('refuses %s, at once', async (_, given, message) => {
    for (const make of [
      () => new ExternalGroup('admins', { ...args, ...given }),
      () => new InternalGroup('admins', { name: 'admins', memberGroupIds: [], ...given }),
    ]) {
      await expect(register(make)).rejects.toThrow(
        expect.objectContaining({ code: 'inputs_invalid', message: expect.stringContaining(message) }),
      );
    }
  });
});
