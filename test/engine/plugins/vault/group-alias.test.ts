import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeResource, ResourceSession } from './resource-session.ts';

describeResource(
  'GroupAlias (terraform-provider-vault vault/resource_identity_group_alias.go)',
  'vault:identity/groupAlias:GroupAlias',
  (on) => {
    const alias = on.session;
    const group = () => new ResourceSession(on.plugin, 'vault:identity/group:Group');
    let count = 0;
    let name = '';
    beforeEach(() => {
      name = `it${++count}`;
    });
    let accessors: string[] = [];
    beforeAll(async () => {
      accessors = await Promise.all(
        ['one', 'two'].map(async (mount) => {
          await on.service.post(`sys/auth/${mount}`, { type: 'jwt' });
          return String((await on.service.read(`sys/auth/${mount}`))?.data['accessor']);
        }),
      );
    });
    const news = async () => ({
      name,
      mountAccessor: accessors[0] ?? '',
      canonicalId: (await group().create({ name: `${name}-group`, type: 'external' })).id,
    });

    test('made, it does not differ', async () => {
      const given = await news();
      const made = await alias().create(given);
      expect(made.id).toMatch(/^[0-9a-f-]{36}$/);
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
      await on.service.post('sys/auth/old', { type: 'jwt' });
      const old = String((await on.service.read('sys/auth/old'))?.data['accessor']);
      const given = { ...(await news()), mountAccessor: old };
      const made = await alias().create(given);
      await on.service.delete('sys/auth/old');
      await made.update({ ...given, mountAccessor: accessors[0] ?? '' });
      expect((await on.service.read(`identity/group-alias/id/${made.id}`))?.data['mount_accessor']).toBe(
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
