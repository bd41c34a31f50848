import { describe, expect, test } from '@jest/globals';
import { testPlatform } from '../../../operations/serve/run-task.ts';
import { type PlatformFaults, startFaultyPlatform } from './faulty-platform.ts';

async function objections(faults: PlatformFaults, key?: string): Promise<string[]> {
  const platform = await startFaultyPlatform(faults);
  // Only a platform that repeats nothing is waited for in vain.
  const patienceMs = faults.takes202 ? 500 : 20_000;
  const listening = Promise.withResolvers<number>();
  const bench = { platform: platform.address, key, port: 0, host: '127.0.0.1', patienceMs };
  const checking = testPlatform({ ...bench, onListening: listening.resolve });
  const asked = listening.promise.then((port) => platform.ask(`http://127.0.0.1:${port}/`));
  const [checks] = await Promise.all([checking, asked]).finally(platform.close);
  return checks.filter(({ verdict }) => verdict === 'wrong').map(({ name }) => name);
}

describe('gatehouse run-task test --platform', () => {
  test('has no objection to a platform that does it right', async () => {
    expect(await objections({})).toEqual([]);
  });

  test.each<[string, PlatformFaults, string]>([
    ['sends no verification request', { sendsNoVerification: true }, 'a verification request comes'],
    ['takes 202 for an acknowledgement', { takes202: true }, 'a request answered 202'],
    ['ends in 500 on texts', { crashesOnNul: true }, 'texts that a database'],
    ['ends in 500 on more than 250 outcomes', { crashesOver250: true }, 'more outcomes'],
    ['changes a final result', { changesFinals: true }, 'a final result stays'],
    ['takes any token', { takesAnyToken: true }, 'a wrong token'],
    ['has another media type', { mediaType: 'application/json' }, 'no token'],
    [
      'has a parameter on its media type',
      { mediaType: 'application/vnd.api+json; charset=utf-8' },
      'no token',
    ],
    ['does not say which methods there are', { knowsNo405: true }, 'another method'],
    ['gives its plan to anybody', { givesPlanToAll: true }, 'the plan'],
    ['does not say where a body is wrong', { pointsNowhere: true }, 'an unknown status'],
    ['leaves out the spelling that go-tfe reads', { misses: 'capabilitites' }, 'the request'],
  ])('objects to one that %s', async (_, faults, name) => {
    expect(await objections(faults)).toContainEqual(expect.stringContaining(name));
  });

  test('objects to one that signs with another key', async () => {
    expect(await objections({ signature: 'a'.repeat(128) }, 'k')).toContainEqual(
      expect.stringContaining('the request'),
    );
  });

  test('says that no request came', async () => {
    const bench = { platform: 'http://127.0.0.1:1', key: undefined, port: 0, host: '127.0.0.1' };
    const noted = { patienceMs: 100, onListening: () => {} };
    expect(await testPlatform({ ...bench, ...noted })).toMatchObject([{ verdict: 'wrong' }]);
  });
});
