// Statuses and texts as openbao/openbao vault/identity_store_groups.go, identity_store_group_aliases.go,
// identity_store_entities.go and identity_lookup.go have them: one table, two servers.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeOnBothServers } from '../../../harness/two-servers.ts';
import { IdentityClient } from './identity-client.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

describeOnBothServers('what identity paths refuse', (server) => {
  const client = new IdentityClient(server);

  beforeAll(async () => {
    client.known['accessor'] = (await client.newMount()).accessor;
    client.known['external'] = await client.newGroup({ name: 'External', type: 'external', policies: ['x'] });
    client.known['internal'] = await client.newGroup({ name: 'Internal' });
    client.known['outer'] = await client.newGroup({
      name: 'Outer',
      member_group_ids: client.known['internal'],
    });
    await client.post('identity/group-alias', {
      name: 'Taken',
      mount_accessor: '{accessor}',
      canonical_id: await client.newGroup({ type: 'external' }),
    });
  });

  const group = 'identity/group';
  const alias = 'identity/group-alias';
  const entity = 'identity/entity';
  const onMount = { mount_accessor: '{accessor}' };
  const notAlone = 'query parameter conflict; please supply distinct set of query parameters';
  const both = "both 'alias_name' and 'alias_mount_accessor' needs to be set";

  describe('refuses with 400', () => {
    test.each<[string, string, object, string]>([
      ['a group by an unknown id', group, { id: nobody, name: 'a' }, 'invalid group ID'],
      ['a group by an empty id', group, { id: '', name: 'a' }, 'empty group ID'],
      ['a group of an empty name', group, { name: '' }, 'empty group name'],
      ['a group whose name is null', group, { name: null }, 'empty group name'],
      ['an unknown id in the path', `${group}/id/${nobody}`, { name: 'a' }, 'invalid group ID'],
      ['a type that is none', group, { name: 'a', type: 'weird' }, 'invalid group type "weird"'],
      ['another type', group, { name: 'external', type: 'internal' }, 'group type cannot be changed'],
      ['a name in use', `${group}/id/{external}`, { name: 'INTERNAL' }, 'group name is already in use'],
      ['root', group, { name: 'a', policies: ['root'] }, 'policies cannot contain root'],
      ['root in a text', group, { name: 'a', policies: 'b, root ' }, 'policies cannot contain root'],
      ['Root with blanks (CVE-2025-54996)', group, { policies: [' Root '] }, 'policies cannot contain root'],
      ['ROOT (CVE-2025-64761)', group, { policies: 'ROOT' }, 'policies cannot contain root'],
      [
        'entities in an external group',
        group,
        { name: 'external', member_entity_ids: [] },
        "member entities can't be set manually for external groups",
      ],
      [
        'groups in an external group',
        group,
        { name: 'external', member_group_ids: ['{internal}'] },
        "member groups can't be set for external groups",
      ],
      [
        'a ring of groups',
        `${group}/id/{internal}`,
        { member_group_ids: ['{outer}'] },
        'cyclic relationship detected for member group ID "{outer}"',
      ],
      [
        'a list for a name',
        group,
        { name: ['a'] },
        `Field validation failed: error converting input for field "name": '' expected type 'string', got unconvertible type '[]interface {}'`,
      ],
      [
        'metadata that is no pair',
        group,
        { metadata: ['ab'] },
        'Field validation failed: error converting input for field "metadata": invalid key pair at index 0 in field "metadata"',
      ],
      ['an alias without a name', alias, onMount, 'missing alias name'],
      ['an alias without a mount', alias, { name: 'a' }, 'missing mount_accessor'],
      [
        'an alias of an unknown mount',
        alias,
        { name: 'a', mount_accessor: 'auth_oidc_1' },
        'invalid mount accessor "auth_oidc_1"',
      ],
      [
        'an alias of an unknown group',
        alias,
        { ...onMount, name: 'a', canonical_id: nobody },
        "invalid group ID given in 'canonical_id'",
      ],
      [
        'an alias of an internal group',
        alias,
        { ...onMount, name: 'a', canonical_id: '{internal}' },
        "alias can't be set on an internal group",
      ],
      [
        'an alias that another group has, in whatever case',
        alias,
        { ...onMount, name: 'taken', canonical_id: '{external}' },
        'combination of mount and group alias name is already in use',
      ],
      ['an alias by an unknown id', alias, { ...onMount, id: nobody, name: 'a' }, 'invalid group alias ID'],
      ['an unknown alias in the path', `${alias}/id/${nobody}`, { name: 'a' }, 'invalid group alias ID'],
      ['an entity by an unknown id', `${entity}/id/${nobody}`, {}, 'entity not found from id'],
      ['an entity with root', entity, { policies: [' Root'] }, 'policies cannot contain root'],
      ['a look-up for nothing', 'identity/lookup/group', {}, 'query parameter not supplied'],
      ['a look-up for two things', 'identity/lookup/group', { id: 'a', name: 'b' }, notAlone],
      ['a look-up for half an alias', 'identity/lookup/group', { alias_name: 'a' }, both],
      ['a look-up of an entity for nothing', 'identity/lookup/entity', {}, 'query parameter not supplied'],
      ['a look-up of an entity for two', 'identity/lookup/entity', { id: 'a', alias_id: 'b' }, notAlone],
      ['a look-up of an entity for half', 'identity/lookup/entity', { alias_name: 'a' }, both],
    ])('%s', async (_, path, body, text) => {
      expect(await client.post(path, body)).toEqual({ status: 400, body: { errors: [client.filled(text)] } });
    });

    // Real servers answer 500 and wrap the text; ours never answers 500.
    test.each([
      ['an unknown entity', { member_entity_ids: [nobody] }, `invalid entity ID "${nobody}"`],
      ['an unknown group', { member_group_ids: [nobody] }, `invalid member group ID "${nobody}"`],
      [
        'itself',
        { member_group_ids: ['{internal}'] },
        'member group ID "{internal}" is same as the ID of the group',
      ],
    ])('a group with %s in it', async (_, body, text) => {
      const { status, body: answer } = await client.post(`${group}/id/{internal}`, body);
      expect(status).toBe(server().kind === 'openbao' ? 500 : 400);
      expect(answer.errors).toEqual([expect.stringContaining(client.filled(text))]);
    });
  });

  describe('answers', () => {
    test.each<[string, string, string, object | undefined, number]>([
      ['a group that is not there', 'GET', `${group}/id/${nobody}`, undefined, 404],
      ['a name that is not there', 'GET', `${group}/name/nobody`, undefined, 404],
      ['an alias that is not there', 'GET', `${alias}/id/${nobody}`, undefined, 404],
      ['an entity that is not there', 'GET', `${entity}/id/${nobody}`, undefined, 404],
      ['an entity alias that is not there', 'GET', `${entity}-alias/id/${nobody}`, undefined, 404],
      ['an empty list', 'LIST', `${entity}-alias/id`, undefined, 404],
      ['deleting no group', 'DELETE', `${group}/id/${nobody}`, undefined, 204],
      ['deleting no name', 'DELETE', `${group}/name/nobody`, undefined, 204],
      ['deleting no alias', 'DELETE', `${alias}/id/${nobody}`, undefined, 204],
      ['deleting no entity', 'DELETE', `${entity}/name/nobody`, undefined, 204],
      ['a look-up without a find', 'POST', 'identity/lookup/group', { name: 'nobody' }, 204],
      ['a look-up of no entity', 'POST', 'identity/lookup/entity', { id: nobody }, 204],
      ['reading a list', 'GET', `${group}/id`, undefined, 405],
      ['reading what is only written', 'GET', group, undefined, 405],
      ['reading a look-up', 'GET', 'identity/lookup/entity', undefined, 405],
    ])('%s', async (_, method, path, body, status) => {
      expect((await client.call(method, path, body)).status).toBe(status);
    });
  });
});
