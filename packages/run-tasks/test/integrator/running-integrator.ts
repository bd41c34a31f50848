import { afterEach, beforeAll } from '@jest/globals';
import {
  openTestPlatform,
  sendTask,
  type TaskBehavior,
  type TestTask,
} from '../../../../test/harness/test-platform.ts';
import type { TestedDatabase } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { parsePlanJson } from '../../../core/src/review/plan/read-plan.ts';
import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import { Integrator, type IntegratorArgs, integratorRoutes } from '../../src/integrator/integrator.ts';
import type { ReviewResult, RunReviewer } from '../../src/integrator/review.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startRunTaskServer } from '../../src/server.ts';
import type { Database } from '../../src/store/database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';

export const key = 'a key of the test';
export const fine: ReviewResult = { status: 'passed', message: 'fine', outcomes: [] };
/** Passes every plan that is JSON. */
const passes: RunReviewer = async ({ plan }) => {
  if (plan !== undefined) parsePlanJson(Buffer.from(plan).toString());
  return fine;
};

/** An integrator over HTTP, with a platform beside it. */
export async function runIntegrator(database: Database, change: Partial<IntegratorArgs> = {}) {
  await makeTables(database);
  const platform = await openTestPlatform();
  const queue = new Queue(database, { pollSeconds: 0.5 });
  const integrator = new Integrator({
    database,
    queue,
    outbound: new Outbound({ allowedOrigins: [platform.address] }),
    endpoints: [{ name: 'review', keys: ['an old key', key] }],
    review: passes,
    userAgent: 'gatehouse/test (+test)',
    ...change,
  });
  await queue.start();
  await integrator.start();
  const server = await startRunTaskServer({
    routes: integratorRoutes(integrator),
    checkReady: () => database.query('SELECT 1'),
  });
  return {
    platform,
    integrator,
    database,
    url: `${server.address}/integrator/review`,
    async close() {
      await server.close();
      integrator.stop();
      await queue.stop(2000);
      await platform.close();
    },
  };
}

export type RunningIntegrator = Awaited<ReturnType<typeof runIntegrator>>;

/** The row of a task's delivery. */
export async function deliveryRow({ database }: RunningIntegrator, taskResultId: string) {
  const [row] = await database.query('SELECT * FROM deliveries WHERE task_result_id = $1', [taskResultId]);
  return row;
}

export async function untilEnded(running: RunningIntegrator, taskResultId: string) {
  await until(async () => (await deliveryRow(running, taskResultId))?.['ended_at'] != null);
  return await deliveryRow(running, taskResultId);
}

export const outcomes = (count: number): Outcome[] =>
  Array.from({ length: count }, (_, at) => ({ outcomeId: `o-${at}`, description: `outcome ${at}` }));

/** Opens a database for the tests of a block; each test starts an integrator on it, which is closed after the test. */
export function integratorPerTest(databases: TestedDatabase) {
  let database: Database;
  let running: RunningIntegrator | undefined;
  beforeAll(async () => {
    database = await databases.openDatabase();
  });
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  const start = async (change: Partial<IntegratorArgs> = {}) => {
    running = await runIntegrator(database, change);
    return running;
  };
  const send = ({ url }: RunningIntegrator, { payload }: TestTask) => sendTask(url, payload, { key });
  /** Sends one task to a new integrator, and waits until it ended. */
  const ended = async (change: Partial<IntegratorArgs>, behavior: TaskBehavior = { stage: 'pre_plan' }) => {
    const here = await start(change);
    const task = here.platform.newTask(behavior);
    await send(here, task);
    return { task, row: await untilEnded(here, task.id) };
  };
  return { database: () => database, start, send, ended };
}
