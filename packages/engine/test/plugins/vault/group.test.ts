import { beforeEach, expect, test } from '@jest/globals';
import { PluginError } from '../../../src/plugins/plugin.ts';
import { describeResource, testLifecycle, types } from './resource-session.ts';

describeResource('Group (terraform-provider-vault vault/resource_identity_group.go)', types.group, (bed) => {
  const group = bed.session;
  let count = 0;
  let name = '';
  beforeEach(() => {
    name = `it${++count}`;
  });

  const given = () => ({ name, type: 'external', policies: ['b', 'a'], metadata: { team: 'x' } });
  testLifecycle(bed, given, { policies: ['a', 'b'] });

  test('policies and metadata that go from the program are cleared', async () => {
    const created = await group().create({
      name,
      type: 'external',
      policies: ['a'],
      metadata: { team: 'x' },
    });
    await created.update({ name, type: 'external' });
    const { data } = (await bed.service.read(`identity/group/id/${created.id}`)) ?? { data: {} };
    expect(data).toMatchObject({ policies: [], metadata: {} });
    await expect(created.differences({ name, type: 'external' })).resolves.toEqual({});
  });

  test('its name changes in place', async () => {
    const created = await group().create({ name, type: 'external' });
    await created.update({ name: `${name}-new`, type: 'external' });
    expect(created.state).toMatchObject({ id: created.id, name: `${name}-new` });
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
      expect((await bed.service.read(`identity/group/id/${other.id}`))?.data['policies']).toEqual(['keep']);
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
    expect((await bed.service.read(`identity/group/id/${other.id}`))?.data['policies']).toEqual(['keep']);
  });

  test('members of an external group are no difference', async () => {
    const news = { name, type: 'external' };
    const created = await group().create(news);
    created.state = { ...created.state, memberEntityIds: ['someone'] };
    await expect(created.differences(news)).resolves.toEqual({});
  });

  test('members of an internal group are written', async () => {
    const { data } = await bed.service.post('identity/entity', { name });
    const created = await group().create({ name, memberEntityIds: [String(data['id'])] });
    expect(created.state['memberEntityIds']).toEqual([data['id']]);
    await created.update({ name });
    expect(created.state['memberEntityIds']).toEqual([]);
  });

  test('policies looked after elsewhere are neither compared nor written', async () => {
    const created = await group().create({ name, type: 'external', externalPolicies: true });
    await bed.service.put(`identity/group/id/${created.id}`, { policies: ['elsewhere'] });
    await created.refresh();
    await expect(created.differences({ name, type: 'external', externalPolicies: true })).resolves.toEqual(
      {},
    );
    await created.update({ name, type: 'external', externalPolicies: true, metadata: { a: 'b' } });
    expect((await bed.service.read(`identity/group/id/${created.id}`))?.data['policies']).toEqual([
      'elsewhere',
    ]);
  });

  test('a create in progress is not one of another type', async () => {
    await group().create({ name, type: 'external' });
    await expect(group().findCreated({ name })).resolves.toEqual([]);
  });
});
