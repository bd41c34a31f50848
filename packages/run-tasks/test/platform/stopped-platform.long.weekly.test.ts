import { expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { PlatformUnderTest } from './platform-under-test.ts';

// An engine hears the same SIGTERM: what it was at fails then, and that is no result of the run.
describeOnBothDatabases('a platform that is stopped', (databases) => {
  test.each([
    [
      'plan',
      ['plan dev', 'plan dev', 'apply dev {"steps":["a change"]}'],
      (broken: Promise<void>, { work }: PlatformUnderTest) => {
        work.onPlan = async () => {
          await broken;
          throw new GatehouseError({ code: 'plan_failed', what: 'stopped before the end' });
        };
      },
    ],
    [
      'apply',
      ['plan dev', 'apply dev {"steps":["a change"]}', 'apply dev {"steps":["a change"]} resumed'],
      (broken: Promise<void>, { work }: PlatformUnderTest) => {
        work.onApply = async () => {
          await broken;
          return { succeeded: false, message: 'stopped before the end' };
        };
      },
    ],
  ])(
    'leaves the %s that it broke off to the next one',
    async (doing, done, hold) => {
      const database = await databases.openDatabase();
      const first = await PlatformUnderTest.start(database);
      const { promise, resolve } = Promise.withResolvers<void>();
      hold(promise, first);
      const run = await first.run('dev');
      await until(async () => first.work.done.some((one) => one.startsWith(doing)));
      const closed = first.close();
      resolve();
      await closed;

      const next = await PlatformUnderTest.start(database);
      expect((await next.ended(run.id)).status).toBe('applied');
      expect([...first.work.done, ...next.work.done]).toEqual(done);
      await next.close();
    },
    60_000,
  );
});
