// Fields and answers as openbao/openbao vault/identity_store_groups.go, identity_store_group_aliases.go and
// identity_store_entities.go have them: one table, two servers.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeOnBothServers } from '../../../harness/two-servers.ts';
import { IdentityClient } from './identity-client.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const group = 'identity/group';
const alias = 'identity/group-alias';
const entity = 'identity/entity';

describeOnBothServers('identity', (server) => {
  const client = new IdentityClient(server);
  const onMount = { mount_accessor: '{accessor}' };

  beforeAll(async () => {
    client.known['accessor'] = (await client.newMount()).accessor;
  });

  describe('a group', () => {
    test('is answered with its id and name when it is new, and with nothing when it is not', async () => {
      const first = await client.post(group, { name: 'New', type: 'external' });
      expect(first.status).toBe(200);
      expect(first.body.data).toEqual({ id: expect.stringMatching(uuid), name: 'New' });
      expect(await client.post(group, { name: 'new', policies: ['a'] })).toEqual({
        status: 204,
        body: undefined,
      });
    });

    test('without a name gets one', async () => {
      expect((await client.data('POST', group)).name).toMatch(/^group_[0-9a-f]{8}\.root$/);
    });

    test('has exactly these fields', async () => {
      const id = await client.newGroup({
        name: 'Fields',
        type: 'external',
        policies: ['A', ' b ', 'b', ''],
        metadata: { k: 'v', n: 1 },
      });
      expect(await client.data('GET', `${group}/id/${id}`)).toEqual({
        alias: {},
        creation_time: expect.stringMatching(/^\d{4}-.*Z$/),
        id,
        last_update_time: expect.stringMatching(/^\d{4}-.*Z$/),
        member_entity_ids: null,
        member_group_ids: null,
        metadata: { k: 'v', n: '1' },
        modify_index: 1,
        name: 'Fields',
        namespace_id: 'root',
        parent_group_ids: null,
        policies: ['a', 'b'],
        type: 'external',
      });
    });

    test('is found by its name in whatever case, slashes and all', async () => {
      const id = await client.newGroup({ name: 'With/Slash' });
      expect((await client.data('GET', `${group}/name/with/slash`)).id).toBe(id);
      expect((await client.data('POST', 'identity/lookup/group', { name: 'WITH/SLASH' })).id).toBe(id);
    });

    test('keeps what a write leaves out', async () => {
      const id = await client.newGroup({ name: 'kept', policies: ['a'], metadata: { k: 'v' } });
      await client.post(`${group}/id/${id}`, { name: 'renamed' });
      expect(await client.data('GET', `${group}/name/renamed`)).toMatchObject({
        id,
        policies: ['a'],
        metadata: { k: 'v' },
      });
      expect((await client.call('GET', `${group}/name/kept`)).status).toBe(404);
    });

    test('has members and parents, until one of them goes', async () => {
      const inner = await client.newGroup({ name: 'inner' });
      const outer = await client.newGroup({ name: 'outside', member_group_ids: [inner] });
      expect((await client.data('GET', `${group}/id/${inner}`)).parent_group_ids).toEqual([outer]);
      expect((await client.data('GET', `${group}/id/${outer}`)).member_group_ids).toEqual([inner]);
      await client.call('DELETE', `${group}/id/${inner}`);
      expect((await client.data('GET', `${group}/id/${outer}`)).member_group_ids).toBeNull();
    });

    test('is listed by id with what is told of it, and by name', async () => {
      const { path, accessor } = await client.newMount('jwt');
      const id = await client.newGroup({ name: 'Listed', type: 'external' });
      const { id: aliasId } = await client.data('POST', alias, {
        name: 'N',
        mount_accessor: accessor,
        canonical_id: id,
      });
      const list = await client.data('LIST', `${group}/id`);
      expect(list.keys).toContain(id);
      expect(list.key_info[id]).toEqual({
        name: 'Listed',
        num_member_entities: 0,
        num_parent_groups: 0,
        alias: {
          id: aliasId,
          mount_accessor: accessor,
          mount_path: `auth/${path}/`,
          mount_type: 'jwt',
          name: 'N',
        },
      });
      expect((await client.data('LIST', `${group}/name`)).keys).toContain('Listed');
      expect((await client.data('GET', `${group}/name?list=true`)).keys).toContain('Listed');
    });
  });

  describe('a group alias', () => {
    test('has exactly these fields', async () => {
      const { path, accessor } = await client.newMount();
      const canonical_id = await client.newGroup({ type: 'external' });
      const made = await client.post(alias, { name: 'Admins', mount_accessor: accessor, canonical_id });
      expect(made).toMatchObject({ status: 200, body: { data: { canonical_id } } });
      const { id } = made.body.data;
      expect(await client.data('GET', `${alias}/id/${id}`)).toEqual({
        canonical_id,
        creation_time: expect.any(String),
        custom_metadata: null,
        id,
        last_update_time: expect.any(String),
        local: false,
        merged_from_canonical_ids: null,
        metadata: null,
        mount_accessor: accessor,
        mount_path: `auth/${path}/`,
        mount_type: 'oidc',
        name: 'Admins',
        namespace_id: 'root',
      });
      expect((await client.data('LIST', `${alias}/id`)).key_info[id]).toEqual({
        canonical_id,
        custom_metadata: null,
        local: false,
        metadata: null,
        mount_accessor: accessor,
        mount_path: `auth/${path}/`,
        mount_type: 'oidc',
        name: 'Admins',
      });
    });

    test('takes the place of the one its group had', async () => {
      const canonical_id = await client.newGroup({ type: 'external' });
      const first = await client.data('POST', alias, { ...onMount, name: 'first', canonical_id });
      const second = await client.data('POST', alias, { ...onMount, name: 'second', canonical_id });
      expect((await client.call('GET', `${alias}/id/${first.id}`)).status).toBe(404);
      expect((await client.data('GET', `${group}/id/${canonical_id}`)).alias.id).toBe(second.id);
      expect((await client.post(alias, { ...onMount, name: 'first' })).status).toBe(200);
    });

    test('without a group gets one of its own', async () => {
      const made = await client.data('POST', alias, { ...onMount, name: 'alone' });
      const { type, name } = await client.data('GET', `${group}/id/${made.canonical_id}`);
      expect([type, name]).toEqual(['external', expect.stringMatching(/^group_[0-9a-f]{8}\.root$/)]);
    });

    test('written again as it is changes nothing', async () => {
      const { id } = await client.data('POST', alias, { ...onMount, name: 'same' });
      expect((await client.post(`${alias}/id/${id}`, { ...onMount, name: 'same' })).status).toBe(204);
    });

    test('is renamed, and moves to another group', async () => {
      const made = await client.data('POST', alias, { ...onMount, name: 'moving' });
      const canonical_id = await client.newGroup({ type: 'external' });
      expect(await client.data('POST', `${alias}/id/${made.id}`, { ...onMount, name: 'moved' })).toEqual(
        made,
      );
      await client.post(`${alias}/id/${made.id}`, { ...onMount, name: 'moved', canonical_id });
      expect((await client.data('GET', `${group}/id/${made.canonical_id}`)).alias).toEqual({});
      expect((await client.data('GET', `${group}/id/${canonical_id}`)).alias).toMatchObject({
        id: made.id,
        name: 'moved',
      });
    });

    test('goes with its group, and leaves its group when it goes', async () => {
      const first = await client.data('POST', alias, { ...onMount, name: 'going' });
      await client.call('DELETE', `${alias}/id/${first.id}`);
      expect((await client.data('GET', `${group}/id/${first.canonical_id}`)).alias).toEqual({});
      const second = await client.data('POST', alias, { ...onMount, name: 'going' });
      await client.call('DELETE', `${group}/id/${second.canonical_id}`);
      expect((await client.call('GET', `${alias}/id/${second.id}`)).status).toBe(404);
    });

    test('finds its group', async () => {
      const { id, canonical_id } = await client.data('POST', alias, { ...onMount, name: 'Findable' });
      const byAlias = { alias_name: 'findable', alias_mount_accessor: '{accessor}' };
      expect((await client.data('POST', 'identity/lookup/group', { alias_id: id })).id).toBe(canonical_id);
      expect((await client.data('POST', 'identity/lookup/group', byAlias)).id).toBe(canonical_id);
    });

    test('is orphaned when its mount is disabled', async () => {
      const { path, accessor } = await client.newMount();
      const { id } = await client.data('POST', alias, { name: 'orphan', mount_accessor: accessor });
      await client.call('DELETE', `sys/auth/${path}`);
      const left = await client.data('GET', `${alias}/id/${id}`);
      expect(left.mount_accessor).toBe(accessor);
      expect(left).not.toHaveProperty('mount_path');
    });

    test('stays with its mount when that is moved', async () => {
      const { path, accessor } = await client.newMount();
      const { id } = await client.data('POST', alias, { name: 'mover', mount_accessor: accessor });
      await client.post('sys/remount', { from: `auth/${path}`, to: `auth/${path}-moved` });
      for (let tries = 0; tries < 50; tries += 1) {
        if ((await client.data('GET', `${alias}/id/${id}`)).mount_path === `auth/${path}-moved/`) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect((await client.data('GET', `${alias}/id/${id}`)).mount_path).toBe(`auth/${path}-moved/`);
    });
  });

  describe('an entity', () => {
    test('has exactly these fields', async () => {
      const made = await client.data('POST', entity, {
        name: 'Bob',
        policies: ['B', 'a'],
        metadata: { m: '1' },
      });
      expect(made).toEqual({ id: expect.stringMatching(uuid), name: 'Bob', aliases: null });
      expect(await client.data('GET', `${entity}/name/bob`)).toEqual({
        aliases: [],
        creation_time: expect.any(String),
        direct_group_ids: [],
        disabled: false,
        group_ids: [],
        id: made.id,
        inherited_group_ids: [],
        last_update_time: expect.any(String),
        merged_entity_ids: null,
        metadata: { m: '1' },
        name: 'Bob',
        namespace_id: 'root',
        policies: ['a', 'b'],
      });
      expect((await client.data('LIST', `${entity}/id`)).key_info[made.id]).toEqual({ name: 'Bob' });
      expect((await client.data('LIST', `${entity}/name`)).keys).toContain('Bob');
    });

    test('is in its groups and in those they are in', async () => {
      const { id } = await client.data('POST', entity, { name: 'member' });
      const inner = await client.newGroup({ member_entity_ids: id });
      const outer = await client.newGroup({ member_group_ids: [inner] });
      expect(await client.data('GET', `${entity}/id/${id}`)).toMatchObject({
        direct_group_ids: [inner],
        inherited_group_ids: [outer],
        group_ids: [inner, outer],
      });
    });
  });
});
