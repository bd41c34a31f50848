import { expect, test } from '@jest/globals';
import { testRunTask } from '../../../operations/serve/run-task.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { key, runIntegrator } from '../integrator/running-integrator.ts';

describeOnBothDatabases('the integrator, by gatehouse run-task test', (databases) => {
  test('does everything right', async () => {
    const running = await runIntegrator(await databases.open());
    // The origin that it may call.
    const port = Number(new URL(running.platform.address).port);
    await running.platform.close();
    const checks = await testRunTask({
      ...{ url: running.url, key, port, host: '127.0.0.1', patienceMs: 30_000, quietMs: 1000 },
    });
    await running.close();
    expect(checks.filter(({ verdict }) => verdict !== 'right')).toEqual([]);
  });
});
