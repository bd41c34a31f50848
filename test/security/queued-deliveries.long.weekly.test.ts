import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { deliveryQueue } from '../../packages/run-tasks/src/integrator/delivery-job.ts';
import { openDatabase } from '../../packages/run-tasks/src/store/open-database.ts';
import { Queue } from '../../packages/run-tasks/src/store/queue.ts';
import { makeTables } from '../../packages/run-tasks/src/store/tables.ts';
import {
  endIntegrator,
  nothingOpen,
  spawnIntegrator,
} from '../../packages/run-tasks/test/integrator/spawn-integrator.ts';
import { openTestPlatform, sendTask, type TestPlatform } from '../harness/test-platform.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';

const count = 4_000;
/** Megabytes that the process may grow by while it works them off. It levels off at about 150, however many wait. */
const growth = 250;

describeOnBothDatabases(`${count} deliveries that wait when an integrator starts`, (databases) => {
  test('hold up neither its start nor its answers, are worked off, and take no memory', async () => {
    const place = await databases.place();
    const platform = await openTestPlatform();
    await fill(place, platform);
    const integrator = await spawnIntegrator({ ...place, platform: platform.address });
    const memory = () => {
      const status = readFileSync(`/proc/${integrator.child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    };
    // What comes meanwhile is taken, and does not wait for all of them.
    const task = platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(integrator.url, task.payload, { key: 'k' })).status).toBe(200);
    await sleep(2000);
    const atFirst = memory();
    let most = atFirst;
    while (!(await nothingOpen(integrator))) {
      most = Math.max(most, memory());
      await sleep(250);
    }
    expect(task.finals).toHaveLength(1);
    expect(most - atFirst).toBeLessThan(growth);
    expect(await endIntegrator(integrator)).toBe(0);
    const database = await openDatabase(place.url, place.home);
    const ended = 'SELECT status, count(*)::int FROM deliveries GROUP BY status ORDER BY status';
    expect(await database.query(ended)).toEqual([
      { status: 'delivered', count: count / 2 + 1 },
      { status: 'given_up', count: count / 2 },
    ]);
    await database.close();
    await platform.close();
  }, 900_000);
});

/** Half of them can still be delivered. The time of the others is over. */
async function fill({ url, home }: { url?: string; home: string }, platform: TestPlatform): Promise<void> {
  const database = await openDatabase(url, home);
  await makeTables(database);
  const queue = new Queue(database);
  await queue.start();
  await queue.work(deliveryQueue, async () => {
    throw new Error('later');
  });
  await queue.stop(0);
  const ownQueue = new Queue(database);
  await ownQueue.start();
  const now = Date.now();
  for (let at = 0; at < count; at += 500) {
    const tasks = Array.from({ length: 500 }, () => platform.newTask({ stage: 'pre_plan' }).payload);
    const deadlines = tasks.map((_, index) => new Date(now + (index % 2 === 0 ? 3_600_000 : -1000)));
    await database.transaction(async (sql) => {
      const rows = await sql.query(
        `INSERT INTO deliveries (endpoint, task_result_id, stage, run_id, payload, access_token, status, received_at, deadline)
          SELECT 'review', p->>'task_result_id', 'pre_plan', p->>'run_id', p, p->>'access_token', 'received', now(), d
          FROM unnest($1::json[], $2::timestamptz[]) AS given (p, d) RETURNING id`,
        [tasks.map((payload) => JSON.stringify(payload)), deadlines],
      );
      await ownQueue.sendAll(
        sql,
        deliveryQueue,
        rows.map(({ id }) => ({ delivery: id })),
      );
    });
  }
  await ownQueue.stop(0);
  await database.close();
}
