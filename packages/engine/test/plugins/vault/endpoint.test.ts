import { expect, test } from '@jest/globals';
import { describeResource, types } from './resource-session.ts';

describeResource(
  'Endpoint (terraform-provider-vault vault/resource_generic_endpoint.go)',
  types.endpoint,
  (on) => {
    const { session } = on;
    const group = (name: string, more: object = {}) => ({
      path: `identity/group/name/${name}`,
      dataJson: '{ "policies": ["b"], "type": "internal" }',
      ignoreAbsentFields: true,
      ...more,
    });
    const read = async (name: string) => (await on.service.read(`identity/group/name/${name}`))?.data;

    test('its id is its path, and its text is kept as it was written', async () => {
      const made = await session().create(group('one'));
      expect([made.id, made.state['dataJson']]).toEqual(['identity/group/name/one', group('one').dataJson]);
      await made.refresh();
      await expect(made.differences(group('one'))).resolves.toEqual({});
    });

    test('its state says of the write what the official plugin’s does', async () => {
      const answered = { writeData: {}, writeDataJson: '{}' };
      const made = await session().create(group('ten'));
      expect(made.state).toMatchObject({ ...answered, __meta: '{"schema_version":"1"}' });
      await made.update(group('ten'));
      expect(made.state).toMatchObject({ writeData: {}, writeDataJson: 'null' });
      await made.refresh();
      expect(made.state).toMatchObject({ writeData: {}, writeDataJson: 'null' });
    });

    test('changed by hand, it is a difference, but for fields that it does not write', async () => {
      const made = await session().create(group('two'));
      await on.service.put('identity/group/name/two', { metadata: { a: 'b' } });
      await made.refresh();
      await expect(made.differences(group('two'))).resolves.toEqual({});
      await on.service.put('identity/group/name/two', { policies: ['c'] });
      await made.refresh();
      await expect(made.differences(group('two'))).resolves.toEqual({ dataJson: 'update' });
      await made.update(group('two'));
      expect((await read('two'))?.['policies']).toEqual(['b']);
    });

    test('another path replaces it, deleted first where it may be the same', async () => {
      const made = await session().create(group('three'));
      expect((await made.diff(group('four'))).replaces).toEqual(['path']);
    });

    test('is deleted, unless it says that it may not be', async () => {
      await (await session().create(group('five'))).delete();
      expect(await read('five')).toBeUndefined();
      await (await session().create(group('six', { disableDelete: true }))).delete();
      expect(await read('six')).toBeDefined();
    });

    test('is not read where it says so', async () => {
      const made = await session().create(group('seven', { disableRead: true }));
      await on.service.put('identity/group/name/seven', { policies: ['c'] });
      await made.refresh();
      await expect(made.differences(group('seven', { disableRead: true }))).resolves.toEqual({});
    });

    test('what it cannot do is refused', async () => {
      const { failures } = await session().check({ path: 'a', dataJson: '[1]' });
      expect(failures).toEqual([{ property: 'dataJson', reason: '"dataJson" must be a JSON object' }]);
      expect((await session().check(group('eight', { writeFields: ['id'] }))).failures).toHaveLength(1);
    });
  },
);
