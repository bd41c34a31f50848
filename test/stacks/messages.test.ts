import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeMessage } from '../../core/model/custom-message.ts';
import { canonicalInstant } from '../../core/model/instant.ts';
import { type CustomMessagesDouble, startCustomMessagesDouble } from '../doubles/custom-messages.ts';
import { changes, type DevConfig, EnvironmentUnderTest } from '../environment-under-test.ts';
import { describeWithOpenBao } from '../openbao.ts';

/**
 * The messages of the dev stack, applied to a double of interface.md's area C in front of a real OpenBao, which has
 * none.
 */
describeWithOpenBao('custom messages', (service) => {
  let double: CustomMessagesDouble;
  let environment: EnvironmentUnderTest;
  const withMessages = (change: (config: DevConfig) => void = () => {}) =>
    environment.stack((config) => {
      config['service'].features.messages = true;
      change(config);
    });
  const onService = () =>
    [...double.messages.values()]
      .map(({ title, type, authenticated, message }) => [
        title,
        type,
        authenticated,
        decodeMessage(message)?.slice(0, 12),
      ])
      .sort();

  beforeAll(async () => {
    double = await startCustomMessagesDouble({ upstream: service().address });
    environment = await EnvironmentUnderTest.start({ address: double.address, token: service().token });
    expect((await environment.run('up', withMessages())).succeeded).toBe(true);
  });
  afterAll(async () => {
    await environment.close();
    await double.close();
  });

  test('a banner and a modal are there, before and after sign-in', () => {
    expect(onService()).toEqual([
      ['Development', 'banner', false, 'This is a de'],
      ['Maintenance', 'banner', true, 'The service '],
      ['Terms of use', 'modal', false, 'By signing i'],
      ['Welcome', 'modal', true, 'You are sign'],
    ]);
  });

  test('a link and an end go over the wire as interface.md has them', () => {
    const maintenance = [...double.messages.values()].find(({ title }) => title === 'Maintenance');
    expect(maintenance).toMatchObject({
      link: { 'Status page': 'https://status.example.com' },
    });
    // The service answers with nanoseconds.
    expect(canonicalInstant(maintenance?.end_time ?? '')).toBe('2036-01-01T00:00:00Z');
  });

  test('a second up changes nothing', async () => {
    expect(changes(await environment.run('up', withMessages()))).toEqual([]);
  });

  test('a changed text changes that message alone, and a removed one goes', async () => {
    const changed = withMessages((config) => {
      config['messages'][0].message = 'Another text.';
      config['messages'].pop();
    });
    expect(changes(await environment.run('up', changed))).toEqual(['delete welcome', 'update development']);
    expect(onService()[0]).toEqual(['Development', 'banner', false, 'Another text']);
    expect(double.messages.size).toBe(3);
  });

  test('an environment without the feature has its messages deleted', async () => {
    await environment.run('up');
    expect(double.messages.size).toBe(0);
  });
});
