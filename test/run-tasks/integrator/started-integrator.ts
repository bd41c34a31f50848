import { afterEach, beforeAll } from '@jest/globals';
import type { Outcome } from '../../../core/run-task/outcome.ts';
import type { IntegratorArgs } from '../../../run-tasks/integrator/integrator.ts';
import { sendTask, type TaskBehaviour, type TestTask } from '../../../run-tasks/kit/test-platform.ts';
import type { Database } from '../../../run-tasks/store/database.ts';
import type { TestedDatabase } from '../../harness/two-databases.ts';
import { key, type RunningIntegrator, runIntegrator, untilEnded } from './running-integrator.ts';

export const outcomes = (count: number): Outcome[] =>
  Array.from({ length: count }, (_, at) => ({ outcomeId: `o-${at}`, description: `outcome ${at}` }));

/** Opens a database for the tests of a block; each test starts an integrator on it, which is closed after the test. */
export function integratorPerTest(databases: TestedDatabase) {
  let database: Database;
  let running: RunningIntegrator | undefined;
  beforeAll(async () => {
    database = await databases.open();
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
  const ended = async (change: Partial<IntegratorArgs>, behaviour: TaskBehaviour = { stage: 'pre_plan' }) => {
    const here = await start(change);
    const task = here.platform.newTask(behaviour);
    await send(here, task);
    return { task, row: await untilEnded(here, task.id) };
  };
  return { database: () => database, start, send, ended };
}
