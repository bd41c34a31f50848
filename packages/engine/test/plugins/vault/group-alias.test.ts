import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeResource, ResourceSession, testLifecycle, types } from './resource-session.ts';

describeResource(
  'GroupAlias (terraform-provider-vault vault/resource_identity_group_alias.go)',
  types.alias,
  (on) => {
    const alias = on.session;
    const group = () => new ResourceSession(on.plugin, types.group);
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

    testLifecycle(on, news);

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

    test('a create in progress is not one of another mount', async () => {
      const given = await news();
      await alias().create(given);
      await expect(alias().findCreated({ ...given, mountAccessor: accessors[1] ?? '' })).resolves.toEqual([]);
    });
  },
);
