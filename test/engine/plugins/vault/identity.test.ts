import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ServiceClient } from '../../../../client/service-client.ts';
import { PluginError } from '../../../../engine/plugins/plugin.ts';
import type { VaultPlugin } from '../../../../engine/plugins/vault/vault-plugin.ts';
import { describeWithOpenBao } from '../../../harness/openbao.ts';
import { openPlugin, ResourceSession } from './resource-session.ts';

const uuid = /^[0-9a-f-]{36}$/;
let plugin: VaultPlugin;
let service: ServiceClient;
let count = 0;
let name = '';
beforeEach(() => {
  name = `it${++count}`;
});
const group = () => new ResourceSession(plugin, 'vault:identity/group:Group');
const alias = () => new ResourceSession(plugin, 'vault:identity/groupAlias:GroupAlias');

describeWithOpenBao('Group (terraform-provider-vault vault/resource_identity_group.go)', (server) => {
  beforeAll(async () => {
    plugin = await openPlugin(server());
    service = new ServiceClient(server());
  });
  afterAll(async () => {
    await plugin.close();
    service.close();
  });

  test('made, it does not differ', async () => {
    const news = { name, type: 'external', policies: ['b', 'a'], metadata: { team: 'x' } };
    const made = await group().create(news);
    expect(made.id).toMatch(uuid);
    expect(made.state).toMatchObject({ id: made.id, ...news });
    await made.refresh();
    await expect(made.differences(news)).resolves.toEqual({});
  });

  test('policies and metadata that go from the program are cleared', async () => {
    const made = await group().create({ name, type: 'external', policies: ['a'], metadata: { team: 'x' } });
    await made.update({ name, type: 'external' });
    const { data } = (await service.read(`identity/group/id/${made.id}`)) ?? { data: {} };
    expect(data).toMatchObject({ policies: [], metadata: {} });
    await expect(made.differences({ name, type: 'external' })).resolves.toEqual({});
  });

  test('its name changes in place', async () => {
    const made = await group().create({ name, type: 'external' });
    await made.update({ name: `${name}-new`, type: 'external' });
    expect(made.state).toMatchObject({ id: made.id, name: `${name}-new` });
  });

  test.each(['external', 'internal'])(
    'a name in use is an error and leaves the other group (%s) as it is',
    async (type) => {
      const other = await group().create({ name, type: 'external', policies: ['keep'] });
      const failure = await group()
        .create({ name, type, policies: ['mine'] })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PluginError);
      expect(String(failure)).toMatch(`import: "${other.id}"`);
      expect((await service.read(`identity/group/id/${other.id}`))?.data['policies']).toEqual(['keep']);
    },
  );

  test('a name in use is an error among many groups, too', async () => {
    const other = await group().create({ name, type: 'external', policies: ['keep'] });
    const names = [...Array.from({ length: 20 }, (_, index) => `${name}-${index}`), name.toUpperCase()];
    const outcomes = await Promise.allSettled(
      names.map((one) => group().create({ name: one, type: 'external' })),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failures).toHaveLength(1);
    expect(String(failures[0])).toMatch(`import: "${other.id}"`);
    expect((await service.read(`identity/group/id/${other.id}`))?.data['policies']).toEqual(['keep']);
  });

  test('members of an external group are no difference', async () => {
    const news = { name, type: 'external' };
    const made = await group().create(news);
    made.state = { ...made.state, memberEntityIds: ['someone'] };
    await expect(made.differences(news)).resolves.toEqual({});
  });

  test('members of an internal group are written', async () => {
    const { data } = await service.post('identity/entity', { name });
    const made = await group().create({ name, memberEntityIds: [String(data['id'])] });
    expect(made.state['memberEntityIds']).toEqual([data['id']]);
    await made.update({ name });
    expect(made.state['memberEntityIds']).toEqual([]);
  });

  test('policies looked after elsewhere are neither compared nor written', async () => {
    const made = await group().create({ name, type: 'external', externalPolicies: true });
    await service.put(`identity/group/id/${made.id}`, { policies: ['elsewhere'] });
    await made.refresh();
    await expect(made.differences({ name, type: 'external', externalPolicies: true })).resolves.toEqual({});
    await made.update({ name, type: 'external', externalPolicies: true, metadata: { a: 'b' } });
    expect((await service.read(`identity/group/id/${made.id}`))?.data['policies']).toEqual(['elsewhere']);
  });

  test('one that is gone has no id, and deleting it is fine', async () => {
    const made = await group().create({ name, type: 'external' });
    await made.delete();
    await expect(made.refresh()).resolves.toBe(false);
    await expect(made.delete()).resolves.toBeUndefined();
  });

  test('an import gives just what is not a default', async () => {
    const { id } = await group().create({ name, type: 'external', policies: ['p'] });
    const imported = await group().import(id);
    expect(imported.inputs).toEqual({ name, type: 'external', policies: ['p'], __defaults: [] });
  });

  test('a create in progress is found by name, of the same type', async () => {
    await expect(group().findCreated({ name, type: 'external' })).resolves.toEqual([]);
    const { id } = await group().create({ name, type: 'external' });
    await expect(group().findCreated({ name, type: 'external' })).resolves.toEqual([id]);
    await expect(group().findCreated({ name })).resolves.toEqual([]);
  });
});

describeWithOpenBao(
  'GroupAlias (terraform-provider-vault vault/resource_identity_group_alias.go)',
  (server) => {
    let accessors: string[] = [];
    beforeAll(async () => {
      plugin = await openPlugin(server());
      service = new ServiceClient(server());
      accessors = await Promise.all(
        ['one', 'two'].map(async (mount) => {
          await service.post(`sys/auth/${mount}`, { type: 'jwt' });
          return String((await service.read(`sys/auth/${mount}`))?.data['accessor']);
        }),
      );
    });
    afterAll(async () => {
      await plugin.close();
      service.close();
    });
    const news = async () => ({
      name,
      mountAccessor: accessors[0] ?? '',
      canonicalId: (await group().create({ name: `${name}-group`, type: 'external' })).id,
    });

    test('made, it does not differ', async () => {
      const given = await news();
      const made = await alias().create(given);
      expect(made.id).toMatch(uuid);
      expect(made.state).toEqual({ id: made.id, ...given });
      await made.refresh();
      await expect(made.differences(given)).resolves.toEqual({});
    });

    test('its name and its mount change in place', async () => {
      const given = await news();
      const made = await alias().create(given);
      const changed = { ...given, name: `${name}-new`, mountAccessor: accessors[1] ?? '' };
      await made.update(changed);
      expect(made.state).toEqual({ id: made.id, ...changed });
    });

    test('a mount that is replaced leaves an alias that is moved to the new one', async () => {
      await service.post('sys/auth/old', { type: 'jwt' });
      const old = String((await service.read('sys/auth/old'))?.data['accessor']);
      const given = { ...(await news()), mountAccessor: old };
      const made = await alias().create(given);
      await service.delete('sys/auth/old');
      await made.update({ ...given, mountAccessor: accessors[0] ?? '' });
      expect((await service.read(`identity/group-alias/id/${made.id}`))?.data['mount_accessor']).toBe(
        accessors[0],
      );
    });

    test('one that is gone has no id, and deleting it is fine', async () => {
      const made = await alias().create(await news());
      await made.delete();
      await expect(made.refresh()).resolves.toBe(false);
      await expect(made.delete()).resolves.toBeUndefined();
    });

    test('an import gives its three properties', async () => {
      const given = await news();
      const { id } = await alias().create(given);
      await expect(alias().import(id)).resolves.toMatchObject({ id, inputs: { ...given, __defaults: [] } });
    });

    test('a create in progress is found by name and mount', async () => {
      const given = await news();
      await expect(alias().findCreated(given)).resolves.toEqual([]);
      const { id } = await alias().create(given);
      await expect(alias().findCreated(given)).resolves.toEqual([id]);
      await expect(alias().findCreated({ ...given, mountAccessor: accessors[1] ?? '' })).resolves.toEqual([]);
    });
  },
);
