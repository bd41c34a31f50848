import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeResource, ResourceSession, testLifecycle, types } from './resource-session.ts';

describeResource(
  'GroupAlias (terraform-provider-vault vault/resource_identity_group_alias.go)',
  types.alias,
  (bed) => {
    const alias = bed.session;
    const group = () => new ResourceSession(bed.plugin, types.group);
    let count = 0;
    let name = '';
    beforeEach(() => {
      name = `it${++count}`;
    });
    let accessors: string[] = [];
    beforeAll(async () => {
      accessors = await Promise.all(
        ['one', 'two'].map(async (mount) => {
          await bed.service.post(`sys/auth/${mount}`, { type: 'jwt' });
          return String((await bed.service.read(`sys/auth/${mount}`))?.data['accessor']);
        }),
      );
    });
    const news = async () => ({
      name,
      mountAccessor: accessors[0] ?? '',
      canonicalId: (await group().create({ name: `${name}-group`, type: 'external' })).id,
    });

    testLifecycle(bed, news);

    test('its name and its mount change in place', async () => {
      const given = await news();
      const created = await alias().create(given);
      const changed = { ...given, name: `${name}-new`, mountAccessor: accessors[1] ?? '' };
      await created.update(changed);
      expect(created.state).toEqual({ id: created.id, ...changed });
    });

    test('a mount that is replaced leaves an alias that is moved to the new one', async () => {
      await bed.service.post('sys/auth/old', { type: 'jwt' });
      const old = String((await bed.service.read('sys/auth/old'))?.data['accessor']);
      const given = { ...(await news()), mountAccessor: old };
      const created = await alias().create(given);
      await bed.service.delete('sys/auth/old');
      await created.update({ ...given, mountAccessor: accessors[0] ?? '' });
      expect((await bed.service.read(`identity/group-alias/id/${created.id}`))?.data['mount_accessor']).toBe(
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
