import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Outcome } from '../../../core/run-task/outcome.ts';
import type { IntegratorArgs } from '../../../run-tasks/integrator/integrator.ts';
import { sendTask, type TestTask } from '../../../run-tasks/kit/test-platform.ts';
import type { Database } from '../../../run-tasks/store/database.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { key, type RunningIntegrator, runIntegrator, untilEnded } from './running-integrator.ts';

const outcomes = (count: number): Outcome[] =>
  Array.from({ length: count }, (_, at) => ({ outcomeId: `o-${at}`, description: `outcome ${at}` }));

describeOnBothDatabases('the outcomes of an integrator', (databases) => {
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

  test('shows outcomes with running as they come, and does not send them twice', async () => {
    const here = await start({
      review: async (_, show) => {
        await show(outcomes(2));
        return { status: 'passed', message: 'fine', outcomes: [{ outcomeId: 'last', description: 'last' }] };
      },
    });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    await send(here, task);
    await untilEnded(here, task.id);
    expect(task.callbacks.map(({ result }) => [result?.status, result?.outcomes.length])).toEqual([
      ['running', 2],
      ['passed', 1],
    ]);
  });

  test('stores all outcomes, shown or not, and points to the page that shows them', async () => {
    const here = await start({
      pageOf: (id) => `https://gatehouse.example.com/ui/deliveries/${id}`,
      review: async (_, show) => {
        await show(outcomes(2));
        return { status: 'passed', message: 'fine', outcomes: [{ outcomeId: 'last', description: 'last' }] };
      },
    });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    await send(here, task);
    const row = await untilEnded(here, task.id);
    const { outcomes: stored } = row?.['result'] as { outcomes: Outcome[] };
    expect(stored.map(({ outcomeId }) => outcomeId)).toEqual(['o-0', 'o-1', 'last']);
    expect(task.finals[0]?.url).toBe(`https://gatehouse.example.com/ui/deliveries/${row?.['id']}`);
  });

  test('shows more than 250 outcomes as they come in several callbacks, each of them once', async () => {
    const here = await start({
      review: async (_, show) => {
        await show(outcomes(600));
        return { status: 'failed', message: 'no', outcomes: [] };
      },
    });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    await send(here, task);
    await untilEnded(here, task.id);
    expect(task.callbacks.map(({ result }) => [result?.status, result?.outcomes.length])).toEqual([
      ['running', 250],
      ['running', 250],
      ['running', 100],
      ['failed', 0],
    ]);
    const ids = task.callbacks.flatMap(({ result }) => result?.outcomes.map(({ outcomeId }) => outcomeId));
    expect(ids).toEqual(outcomes(600).map(({ outcomeId }) => outcomeId));
  });

  test('sends outcomes that were not taken with the final result', async () => {
    const here = await start({
      review: async (_, show) => {
        await show(outcomes(2));
        return { status: 'passed', message: 'fine', outcomes: [] };
      },
    });
    const task = here.platform.newTask({
      stage: 'pre_plan',
      onCallback: (nth) => (nth === 1 ? 'refuse' : 'take'),
    });
    await send(here, task);
    await untilEnded(here, task.id);
    expect(task.finals[0]?.outcomes).toEqual(outcomes(2));
  });

  test('spreads more than 250 outcomes over several callbacks', async () => {
    const here = await start({
      review: async () => ({ status: 'failed', message: 'no', outcomes: outcomes(600) }),
    });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    await send(here, task);
    await untilEnded(here, task.id);
    expect(task.callbacks.map(({ result }) => [result?.status, result?.outcomes.length])).toEqual([
      ['running', 250],
      ['running', 250],
      ['failed', 100],
    ]);
  });

  test('sends no outcomes to a platform that takes none', async () => {
    const here = await start({
      review: async (_, show) => {
        await show(outcomes(2));
        return { status: 'failed', message: 'no', outcomes: outcomes(600) };
      },
    });
    const task = here.platform.newTask({ stage: 'pre_plan', change: { capabilities: { outcomes: false } } });
    await send(here, task);
    await untilEnded(here, task.id);
    expect(task.callbacks.map(({ body }) => body)).toEqual([
      '{"data":{"type":"task-results","attributes":{"status":"failed","message":"no"}}}',
    ]);
  });
});
