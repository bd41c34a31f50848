import { describe, expect, test } from '@jest/globals';
import { ask } from '../../../../../test/harness/ask.ts';
import { startServiceOfVersion } from '../../../../../test/harness/doubles/service-of-version.ts';
import { startEmbeddedService } from '../../../../../test/harness/embedded-service.ts';
import { startedForEach } from '../../../../../test/harness/started.ts';
import type { PropertyMap } from '../../../src/property-value.ts';
import { openPlugin, ResourceSession, testLifecycle, types } from './resource-session.ts';

const base: PropertyMap = {
  title: 'Maintenance',
  messageBase64: Buffer.from('Saturday').toString('base64'),
  startTime: '2026-12-01T00:00:00Z',
};
const whole: PropertyMap = {
  ...base,
  type: 'modal',
  authenticated: false,
  endTime: '2026-12-02T00:00:00Z',
  link: { title: 'Status', href: 'https://status.example.com' },
  options: { color: 'red' },
};

describe('UiCustomMessage (terraform-provider-vault vault/resource_config_ui_custom_message.go)', () => {
  const service = startedForEach(startEmbeddedService);
  const plugin = startedForEach(() => openPlugin(service()));
  const session = () => new ResourceSession(plugin(), types.message);
  const held = async (id: string, namespace?: string) => {
    const path = `sys/config/ui/custom-messages/${id}`;
    return (await ask(service(), { method: 'GET', path, namespace })).body.data;
  };

  testLifecycle({ session }, () => whole, { link: { ...(whole['link'] as object), __defaults: [] } });

  test('made with the least, it has no end, which is an empty text in the state', async () => {
    const message = await session().create(base);
    expect(message.state).toMatchObject({ id: message.id, ...base, endTime: '' });
    await message.refresh();
    await expect(message.differences(base)).resolves.toEqual({});
  });

  test('the same instant in another spelling is no difference', async () => {
    const message = await session().create(base);
    await expect(
      message.differences({ ...base, startTime: '2026-12-01T01:00:00.000+01:00' }),
    ).resolves.toEqual({});
  });

  test('what goes from the program goes back to its default', async () => {
    const message = await session().create(whole);
    await message.update(base);
    expect(await held(message.id)).toMatchObject({
      type: 'banner',
      authenticated: true,
      end_time: null,
      link: null,
      options: null,
    });
    await expect(message.differences(base)).resolves.toEqual({});
  });

  test('nothing about it needs a new one', async () => {
    const message = await session().create(base);
    const { replaces, diffs } = await message.diff({
      ...whole,
      title: 'x',
      messageBase64: '',
      startTime: '2027-01-01T00:00:00Z',
    });
    expect(replaces).toEqual([]);
    expect(diffs.sort()).toEqual(Object.keys(whole).sort());
  });

  test('a create in progress is found by title, start and text', async () => {
    const { id } = await session().create(base);
    await session().create({ ...base, startTime: '2027-01-01T00:00:00Z' });
    await session().create({ ...base, messageBase64: 'U3VuZGF5' });
    await expect(session().findCreated(base)).resolves.toEqual([id]);
  });

  test('two that are alike are both told: somebody must decide', async () => {
    await Promise.all([session().create(base), session().create(base)]);
    await expect(session().findCreated(base)).resolves.toHaveLength(2);
  });

  test('one over the service’s limit of 100 is refused with its own words', async () => {
    for (let index = 0; index < 100; index++) await session().create(base);
    await expect(session().create(base)).rejects.toThrow(/maximum number of messages already exist/);
  });

  test('messages of one namespace are not seen from another', async () => {
    await ask(service(), { method: 'POST', path: 'sys/namespaces/team' });
    const { id } = await session().create({ ...base, namespace: 'team' });
    expect([await held(id), await held(id, 'team')]).toMatchObject([undefined, { id }]);
    await expect(session().findCreated(base)).resolves.toEqual([]);
  });
});

describe('a service without custom messages', () => {
  test.each([
    ['1.21.0', false],
    ['2.7.2', false],
    ['1.15.9+ent', false],
    ['1.16.0+ent', true],
    ['1.21.0+ent.hsm', true],
    ['2.0.0+ent', true],
  ])('version %s: %s', async (version, has) => {
    const double = await startServiceOfVersion(version);
    const plugin = await openPlugin({ address: double.address, token: 't' });
    try {
      const { failures } = await new ResourceSession(plugin, types.message).check(base);
      expect(failures).toEqual(
        has ? [] : [{ property: '', reason: expect.stringContaining(`version ${version}`) }],
      );
    } finally {
      await plugin.close();
      await double.close();
    }
  });
});
