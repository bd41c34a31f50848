import { expect, test } from '@jest/globals';
import { PlanReviewer } from '../../../operations/serve/plan-reviewer.ts';
import { runTaskReview } from '../../../operations/serve/review-run-task.ts';
import { testRunTask } from '../../../operations/serve/run-task.ts';
import { root } from '../../harness/environment-under-test.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { key, runIntegrator } from '../integrator/running-integrator.ts';

describeOnBothDatabases('the integrator, by gatehouse run-task test', (databases) => {
  test('does everything right', async () => {
    const reviewer = new PlanReviewer();
    const review = runTaskReview(root, {}, reviewer);
    const running = await runIntegrator(await databases.open(), { review });
    // The origin that it may call.
    const port = Number(new URL(running.platform.address).port);
    await running.platform.close();
    const checks = await testRunTask({
      ...{ url: running.url, key, port, host: '127.0.0.1', patienceMs: 30_000, quietMs: 1000 },
    });
    await running.close();
    await reviewer.close();
    expect(checks.filter(({ verdict }) => verdict !== 'right')).toEqual([]);
  });
});
