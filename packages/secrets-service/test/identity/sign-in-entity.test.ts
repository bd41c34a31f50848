// How a sign-in changes entities and groups: openbao/openbao vault/identity_store_util.go
// (CreateOrFetchEntity, refreshExternalGroupMembershipsByEntityID), vault/core.go (fetchEntityAndDerivedPolicies).
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { entityPaths } from '../../src/identity/entity-paths.ts';
import { identityPolicies } from '../../src/identity/group.ts';
import { groupPaths } from '../../src/identity/group-paths.ts';
import { signInEntity } from '../../src/identity/sign-in-entity.ts';
import { methods, newMount } from '../../src/mounts/mount.ts';
import { putNamespace } from '../../src/storage/namespace.ts';
import type { Space } from '../../src/storage/storage.ts';
import { pathCaller } from '../call-path.ts';

const now = 1_800_000_000_000_000_000n;
let storage: MemoryStorage;
let root: Space;
let staff: string;
let partners: string;
let call: ReturnType<typeof pathCaller>;

beforeEach(() => {
  storage = new MemoryStorage();
  root = { storage, namespace: '' };
  const config = { default_lease_ttl: 0, max_lease_ttl: 0, token_type: 'default-service' };
  [staff, partners] = ['staff', 'partners'].map((path) => {
    const mount = newMount({ path, type: 'oidc', description: '', local: false, options: {}, config });
    methods.put(root, path, mount);
    return mount.accessor;
  }) as [string, string];
  call = pathCaller([...groupPaths, ...entityPaths], { storage, now });
});

function signIn(name: string, groups?: string[], fields: object = {}) {
  const metadata = { role: 'reader' };
  return signInEntity(root, now, { mountAccessor: staff, name, metadata, groups, ...fields });
}

/** An external group with an alias of the same name and the policy `<name>-policy`. */
async function group(name: string, mountAccessor = staff): Promise<string> {
  const { data } = await call('update', 'identity/group', {
    name,
    type: 'external',
    policies: [`${name}-policy`],
  });
  await call('update', 'identity/group-alias', {
    name,
    mount_accessor: mountAccessor,
    canonical_id: data?.['id'],
  });
  return String(data?.['id']);
}

describe('the entity of who signs in', () => {
  test('is made at the first sign-in and found at the next, in whatever case', () => {
    const { entityId } = signIn('Alice');
    expect(signIn('alice').entityId).toBe(entityId);
    expect(signIn('bob').entityId).not.toBe(entityId);
  });

  test('is not made with metadata that no alias takes; one that is there takes all', () => {
    const metadata = { 'the team': 'ops' };
    expect(() => signIn('alice', [], { metadata })).toThrow('invalid alias metadata: ');
    const { entityId } = signIn('alice');
    expect(signIn('alice', [], { metadata }).entityId).toBe(entityId);
  });

  test('has the metadata of its last sign-in', async () => {
    const { entityId } = signIn('alice');
    signIn('alice', [], { metadata: { role: 'admin' } });
    const { data } = await call('read', `identity/entity/id/${entityId}`);
    expect(data?.['aliases']).toMatchObject([{ name: 'alice', metadata: { role: 'admin' } }]);
  });

  test('writes nothing when nothing changed', () => {
    signIn('alice');
    const before = storage.list('');
    signInEntity(root, now + 1n, { mountAccessor: staff, name: 'alice', metadata: { role: 'reader' } });
    expect(storage.list('')).toEqual(before);
  });
});

test('what is made in a namespace has its id, and is not there in another', async () => {
  const { id } = putNamespace(root, 'team', undefined);
  const team = pathCaller([...groupPaths, ...entityPaths], { storage, now, namespace: 'team' });
  const { data } = await team('update', 'identity/group');
  expect(data?.['name']).toMatch(new RegExp(`^group_[0-9a-f]{8}\\.${id}$`));
  expect((await team('read', `identity/group/id/${data?.['id']}`)).data?.['namespace_id']).toBe(id);
  expect((await call('read', `identity/group/id/${data?.['id']}`)).status).toBe(404);
});

describe('membership of external groups', () => {
  test('takes the names of groups in whatever case', async () => {
    await group('Admins');
    expect(signIn('alice', ['ADMINS']).policies).toEqual(['admins-policy']);
  });

  test('ends when a sign-in names no groups at all', async () => {
    await group('admins');
    signIn('alice', ['admins']);
    expect(signIn('alice').policies).toEqual([]);
  });

  test('of a group of the same name on another mount is not given', async () => {
    await group('admins', partners);
    expect(signIn('alice', ['admins']).policies).toEqual([]);
  });

  test('stays as it is when the group’s alias is changed, until the next sign-in', async () => {
    const id = await group('admins');
    const { entityId } = signIn('alice', ['admins']);
    await call('update', 'identity/group-alias', { name: 'other', mount_accessor: staff, canonical_id: id });
    expect(identityPolicies(root, entityId)).toEqual(['admins-policy']);
    expect(signIn('alice', ['admins']).policies).toEqual([]);
  });

  test('follows the group’s policies at once', async () => {
    const id = await group('admins');
    const { entityId } = signIn('alice', ['admins']);
    await call('update', `identity/group/id/${id}`, { policies: ['other'] });
    expect(identityPolicies(root, entityId)).toEqual(['other']);
    await call('delete', `identity/group/id/${id}`);
    expect(identityPolicies(root, entityId)).toEqual([]);
  });
});

describe('membership of internal groups', () => {
  test('is what who writes the group says, and stays at sign-in', async () => {
    const { entityId } = signIn('alice');
    await call('update', 'identity/group', {
      name: 'team',
      policies: ['team'],
      member_entity_ids: [entityId],
    });
    expect(signIn('alice', ['admins']).policies).toEqual(['team']);
    await call('update', 'identity/group', { name: 'team', member_entity_ids: [] });
    expect(signIn('alice').policies).toEqual([]);
  });

  test('ends with the entity', async () => {
    const { entityId } = signIn('alice');
    await call('update', 'identity/group', { name: 'team', member_entity_ids: entityId });
    await call('delete', `identity/entity/id/${entityId}`);
    expect((await call('read', 'identity/group/name/team')).data?.['member_entity_ids']).toBeNull();
    expect(signIn('alice').entityId).not.toBe(entityId);
  });
});
