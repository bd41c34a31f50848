import { beforeAll, expect, test } from '@jest/globals';
import { decodeMessage } from '../../packages/core/src/graph/resources/custom-message.ts';
import { environmentFor } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

const path = 'sys/config/ui/custom-messages';

/** The messages of the dev stack. OpenBao has none. */
describeOnEmbeddedService('custom messages', (service) => {
  const environment = environmentFor(service);
  async function messages(): Promise<any[]> {
    const ids = ((await environment().client.list(path))?.data['keys'] ?? []) as string[];
    return await Promise.all(ids.map(async (id) => (await environment().client.read(`${path}/${id}`))?.data));
  }
  const onService = async () =>
    (await messages())
      .map(({ title, type, authenticated, message }) => [
        title,
        type,
        authenticated,
        decodeMessage(message)?.slice(0, 12),
      ])
      .sort();

  beforeAll(async () => {
    await environment().up();
  });

  test('a banner and a modal are there, before and after sign-in', async () => {
    expect(await onService()).toEqual([
      ['Development', 'banner', false, 'This is a de'],
      ['Maintenance', 'banner', true, 'The service '],
      ['Migration', 'banner', true, 'The service '],
      ['New sign-in page', 'banner', true, 'The sign-in '],
      ['Terms of use', 'modal', false, 'By signing i'],
      ['Welcome', 'modal', true, 'You are sign'],
    ]);
  });

  test('a changed text changes that message alone, and a removed one goes', async () => {
    const changed = environment().stack((config) => {
      config['messages'][0].message = 'Another text.';
      config['messages'].pop();
    });
    expect(await environment().up(changed)).toEqual(['delete migration', 'update development']);
    expect((await onService())[0]).toEqual(['Development', 'banner', false, 'Another text']);
    expect(await messages()).toHaveLength(5);
  });

  test('an environment without the feature has its messages deleted', async () => {
    const without = environment().stack((config) => {
      config['service'].features = { messages: false };
    });
    await environment().run('up', without);
    expect(await messages()).toEqual([]);
  });
});
