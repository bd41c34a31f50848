import { expect, test } from '@jest/globals';
import { testPlatform } from '../../../operations/serve/run-task.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { PlatformUnderTest } from '../platform/platform-under-test.ts';

describeOnBothDatabases('the platform, by gatehouse run-task test --platform', (databases) => {
  test('does everything right', async () => {
    const under = await PlatformUnderTest.start(await databases.open());
    const stack = under.reset();
    // The address that the platform may call.
    const port = Number(new URL(under.integrator.address).port);
    const tasks = ['review', 'other'].map((name) => under.task(name, ['post_plan']));
    under.work.tasks = tasks;
    under.work.key = 'k';
    under.integrator.close();
    const bench = { platform: under.address, key: 'k', port, host: '127.0.0.1', patienceMs: 20_000 };
    const listening = Promise.withResolvers<number>();
    const checking = testPlatform({ ...bench, onListening: listening.resolve });
    await listening.promise;
    await under.run(stack);
    const checks = await checking;
    await under.close();
    expect(checks.filter(({ verdict }) => verdict !== 'right')).toEqual([]);
  }, 90_000);
});
