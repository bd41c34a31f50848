import { expect, test } from '@jest/globals';
import type { TestTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import { fine, integratorPerTest, outcomes } from './running-integrator.ts';

describeOnBothDatabases('the outcomes of an integrator', (databases) => {
  const { ended } = integratorPerTest(databases);
  const sent = ({ callbacks }: TestTask) =>
    callbacks.map(({ result }) => [result?.status, result?.outcomes.length]);

  test('shows outcomes with running as they come, once, and stores all with the page that shows them', async () => {
    const { task, row } = await ended({
      pageOf: (id) => `https://gatehouse.example.com/ui/deliveries/${id}`,
      review: async (_, show) => {
        await show(outcomes(2));
        return { ...fine, outcomes: [{ outcomeId: 'last', description: 'last' }] };
      },
    });
    expect(sent(task)).toEqual([
      ['running', 2],
      ['passed', 1],
    ]);
    const { outcomes: stored } = row?.['result'] as { outcomes: Outcome[] };
    expect(stored.map(({ outcomeId }) => outcomeId)).toEqual(['o-0', 'o-1', 'last']);
    expect(task.finals[0]?.url).toBe(`https://gatehouse.example.com/ui/deliveries/${row?.['id']}`);
  });

  test('shows more than 250 outcomes as they come in several callbacks, each of them once', async () => {
    const { task } = await ended({
      review: async (_, show) => {
        await show(outcomes(600));
        return { status: 'failed', message: 'no', outcomes: [] };
      },
    });
    expect(sent(task)).toEqual([
      ['running', 250],
      ['running', 250],
      ['running', 100],
      ['failed', 0],
    ]);
    const ids = task.callbacks.flatMap(({ result }) => result?.outcomes.map(({ outcomeId }) => outcomeId));
    expect(ids).toEqual(outcomes(600).map(({ outcomeId }) => outcomeId));
  });

  test('sends outcomes that were not taken with the final result', async () => {
    const { task } = await ended(
      { review: (_, show) => show(outcomes(2)).then(() => fine) },
      { stage: 'pre_plan', onCallback: (nth) => (nth === 1 ? 'refuse' : 'take') },
    );
    expect(task.finals[0]?.outcomes).toEqual(outcomes(2));
  });

  test('spreads more than 250 outcomes over several callbacks', async () => {
    const { task } = await ended({
      review: async () => ({ status: 'failed', message: 'no', outcomes: outcomes(600) }),
    });
    expect(sent(task)).toEqual([
      ['running', 250],
      ['running', 250],
      ['failed', 100],
    ]);
  });

  test('sends no outcomes to a platform that takes none', async () => {
    const { task } = await ended(
      {
        review: async (_, show) => {
          await show(outcomes(2));
          return { status: 'failed', message: 'no', outcomes: outcomes(600) };
        },
      },
      { stage: 'pre_plan', change: { capabilities: { outcomes: false } } },
    );
    expect(task.callbacks.map(({ body }) => body)).toEqual([
      '{"data":{"type":"task-results","attributes":{"status":"failed","message":"no"}}}',
    ]);
  });
});
