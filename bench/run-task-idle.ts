import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../core/model/values/stage.ts';
import { RunStatus } from '../core/run-task/run.ts';
import { deadline, defaultTiming, TaskStatus } from '../core/run-task/task-result.ts';
import { Integrator } from '../run-tasks/integrator/integrator.ts';
import { Outbound } from '../run-tasks/outbound/outbound.ts';
import { insertRun } from '../run-tasks/platform/run-store.ts';
import { insertTask } from '../run-tasks/platform/run-task-store.ts';
import type { Database } from '../run-tasks/store/database.ts';
import { integratorMigration, migrate, platformTables } from '../run-tasks/store/migrate.ts';
import { openDatabase } from '../run-tasks/store/open-database.ts';
import { Queue } from '../run-tasks/store/queue.ts';
import { atMost, type Figure, figure } from './figure.ts';
import { cpuSeconds, residentMegabytes } from './processes.ts';
import { runTaskKey, runTaskRequest } from './run-task-request.ts';
import { type BenchDatabase, RunTaskPlatform, type Store, startGatehouseServe } from './run-task-services.ts';

export interface IdleOptions {
  /** Numbers of open runs, and of open deliveries. Defaults to 0, 1,000 and 10,000. */
  counts?: readonly number[];
  /** Seconds to measure each process. Defaults to 5. */
  seconds?: number;
  /** Seconds to wait after a start. Defaults to 3. */
  settle?: number;
}

/** Most CPU milliseconds a second beyond an empty process. */
const mostMore = 10;
/** Most memory, as a multiple of an empty process. */
const mostMemory = 1.1;

/** The cost of `gatehouse serve` while it waits for callbacks and plans. */
export async function idle(
  database: BenchDatabase,
  { counts = [0, 1000, 10_000], seconds = 5, settle = 3 }: IdleOptions,
): Promise<Figure[]> {
  const costs: { cpu: number; memory: number }[] = [];
  const platform = await RunTaskPlatform.open();
  try {
    for (const count of counts) {
      const store = await database.newStore();
      await storeOpenWork(store, count, platform.origin);
      const { pid, close } = await startGatehouseServe(store, platform.origin, { withPlatform: true });
      try {
        await sleep(settle * 1000);
        const before = cpuSeconds(pid);
        await sleep(seconds * 1000);
        const cpu = ((cpuSeconds(pid) - before) * 1000) / seconds;
        costs.push({ cpu, memory: residentMegabytes(pid) });
      } finally {
        await close();
      }
    }
  } finally {
    await platform.close();
  }
  const [first, last] = [costs.at(0) ?? nothing, costs.at(-1) ?? nothing];
  return [
    ...counts.flatMap((count, at) => [
      figure(`${database.name}, ${count} open, CPU`, costs[at]?.cpu ?? 0, ' ms/s'),
      figure('  resident memory', costs[at]?.memory ?? 0, ' MB'),
    ]),
    atMost('  CPU, most against none', last.cpu - first.cpu, mostMore, ' ms/s more'),
    atMost('  memory, most against none', last.memory / first.memory, mostMemory, ''),
  ];
}

const nothing = { cpu: 0, memory: Number.NaN };

/** Of each body. */
const bytes = 10_240;
const atOnce = 64;

/**
 * Fills a store with pending work: run task requests without results, and runs whose task has not called back.
 *
 * @param origin of a platform that never returns plans
 */
async function storeOpenWork({ url, home }: Store, count: number, origin: string): Promise<void> {
  const database = await openDatabase(url, home);
  try {
    await migrate(database, [integratorMigration, ...platformTables]);
    await storeDeliveries(database, count, origin);
    await storeRuns(database, count);
  } finally {
    await database.close();
  }
}

async function storeDeliveries(database: Database, count: number, origin: string): Promise<void> {
  const queue = new Queue(database);
  const integrator = new Integrator({
    ...{ database, queue, userAgent: 'gatehouse/bench (+bench)' },
    outbound: new Outbound({ allowedOrigins: [origin] }),
    endpoints: [{ name: 'review', keys: [runTaskKey] }],
    review: () => new Promise(() => {}),
  });
  await queue.start();
  await integrator.start();
  for (let at = 0; at < count; at += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - at) }, (_, nth) => at + nth);
    await Promise.all(
      some.map(async (nth) => {
        const { body, signature } = runTaskRequest(origin, `open-${nth}`, bytes);
        await integrator.receive('review', { 'x-platform-task-signature': signature }, body);
      }),
    );
  }
  integrator.stop();
  await queue.stop(1000);
}

async function storeRuns(database: Database, count: number): Promise<void> {
  const now = Date.now();
  const none = null;
  await database.transaction(async (sql) => {
    for (let at = 0; at < count; at += 1) {
      const task = {
        ...{ id: `task-${at}`, run: `run-${at}`, name: 'bench', requestUrl: 'http://127.0.0.1:9/', url: '' },
        ...{ stage: Stage.prePlan, enforcement: 'mandatory' as const, status: TaskStatus.running },
        ...{ outcomes: [], requestedAt: now, acceptedAt: now, attempts: 1 },
        ...{ position: 0, timing: defaultTiming },
      };
      const { name, requestUrl: url, stage, enforcement } = task;
      await insertRun(sql, {
        ...{ id: task.run, stack: `stack-${at}`, status: RunStatus.prePlan, message: '', createdBy: 'bench' },
        ...{ isSpeculative: false, createdAt: now, hasApplied: false, version: 1 },
        description: {
          ...{ organizationName: 'bench', workspaceId: 'ws', workspaceName: 'bench' },
          ...{ workspaceWorkingDirectory: '', configurationVersionId: '', vcsBranch: none },
          ...{ vcsCommitUrl: none, vcsPullRequestUrl: none, vcsRepoUrl: none },
          tasks: [{ name, url, stages: [stage], enforcement }],
        },
      });
      await insertTask(sql, task, deadline(task, defaultTiming));
    }
  });
}
