// openbao/openbao vault/identity_store_groups.go, identity_store_group_aliases.go. Fields and refusals in general:
// test/conformance/scenarios/groups.ts.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeOnBothServers } from '../../../harness/two-servers.ts';
import { IdentityClient } from './identity-client.ts';

const group = 'identity/group';
const alias = 'identity/group-alias';

describeOnBothServers('identity', (server) => {
  const client = new IdentityClient(server);
  const onMount = { mount_accessor: '{accessor}' };

  beforeAll(async () => {
    client.known['accessor'] = (await client.newMount()).accessor;
  });

  test.each<[string, object, string]>([
    ['an empty id', { id: '', name: 'a' }, 'empty group ID'],
    ['an empty name', { name: '' }, 'empty group name'],
    ['null for its name', { name: null }, 'empty group name'],
  ])('a group with %s is refused', async (_, body, text) => {
    expect(await client.post(group, body)).toEqual({ status: 400, body: { errors: [text] } });
  });

  test('an alias that another group has, in whatever case, is refused', async () => {
    await client.post(alias, { ...onMount, name: 'Taken' });
    const canonical_id = await client.newGroup({ type: 'external' });
    const { body } = await client.post(alias, { ...onMount, name: 'taken', canonical_id });
    expect(body.errors).toEqual(['combination of mount and group alias name is already in use']);
  });

  describe('a group', () => {
    test('is found by its name in whatever case, slashes and all', async () => {
      const id = await client.newGroup({ name: 'With/Slash' });
      expect((await client.data('GET', `${group}/name/with/slash`)).id).toBe(id);
      expect((await client.data('POST', 'identity/lookup/group', { name: 'WITH/SLASH' })).id).toBe(id);
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
    test('goes with its group, and leaves its group when it goes', async () => {
      const first = await client.data('POST', alias, { ...onMount, name: 'going' });
      await client.call('DELETE', `${alias}/id/${first.id}`);
      expect((await client.data('GET', `${group}/id/${first.canonical_id}`)).alias).toEqual({});
      const second = await client.data('POST', alias, { ...onMount, name: 'going' });
      await client.call('DELETE', `${group}/id/${second.canonical_id}`);
      expect((await client.call('GET', `${alias}/id/${second.id}`)).status).toBe(404);
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
});
