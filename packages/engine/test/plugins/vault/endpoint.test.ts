import { expect, test } from '@jest/globals';
import { describeResource, types } from './resource-session.ts';

describeResource(
  'Endpoint (terraform-provider-vault vault/resource_generic_endpoint.go)',
  types.endpoint,
  (bed) => {
    const { session } = bed;
    const group = (name: string, fields: object = {}) => ({
      path: `identity/group/name/${name}`,
      dataJson: '{ "policies": ["b"], "type": "internal" }',
      ignoreAbsentFields: true,
      ...fields,
    });
    const read = async (name: string) => (await bed.service.read(`identity/group/name/${name}`))?.data;

    test('its id is its path, and its text is kept as it was written', async () => {
      const created = await session().create(group('one'));
      expect([created.id, created.state['dataJson']]).toEqual([
        'identity/group/name/one',
        group('one').dataJson,
      ]);
      await created.refresh();
      await expect(created.differences(group('one'))).resolves.toEqual({});
    });

    test('its state says of the write what the official plugin’s does', async () => {
      const answered = { writeData: {}, writeDataJson: '{}' };
      const created = await session().create(group('ten'));
      expect(created.state).toMatchObject({ ...answered, __meta: '{"schema_version":"1"}' });
      await created.update(group('ten'));
      expect(created.state).toMatchObject({ writeData: {}, writeDataJson: 'null' });
      await created.refresh();
      expect(created.state).toMatchObject({ writeData: {}, writeDataJson: 'null' });
    });

    test('changed by hand, it is a difference, but for fields that it does not write', async () => {
      const created = await session().create(group('two'));
      await bed.service.put('identity/group/name/two', { metadata: { a: 'b' } });
      await created.refresh();
      await expect(created.differences(group('two'))).resolves.toEqual({});
      await bed.service.put('identity/group/name/two', { policies: ['c'] });
      await created.refresh();
      await expect(created.differences(group('two'))).resolves.toEqual({ dataJson: 'update' });
      await created.update(group('two'));
      expect((await read('two'))?.['policies']).toEqual(['b']);
    });

    test('another path replaces it, deleted first where it may be the same', async () => {
      const created = await session().create(group('three'));
      expect((await created.diff(group('four'))).replaces).toEqual(['path']);
    });

    test('is deleted, unless it says that it may not be', async () => {
      await (await session().create(group('five'))).delete();
      expect(await read('five')).toBeUndefined();
      await (await session().create(group('six', { disableDelete: true }))).delete();
      expect(await read('six')).toBeDefined();
    });

    test('is not read where it says so', async () => {
      const created = await session().create(group('seven', { disableRead: true }));
      await bed.service.put('identity/group/name/seven', { policies: ['c'] });
      await created.refresh();
      await expect(created.differences(group('seven', { disableRead: true }))).resolves.toEqual({});
    });

    test('what it cannot do is refused', async () => {
      const { failures } = await session().check({ path: 'a', dataJson: '[1]' });
      expect(failures).toEqual([{ property: 'dataJson', reason: '"dataJson" must be a JSON object' }]);
      expect((await session().check(group('eight', { writeFields: ['id'] }))).failures).toHaveLength(1);
    });
  },
);
