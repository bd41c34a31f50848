import { beforeAll, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { openTestPlatform, type TestTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import { type IntegratorParts, runDeliveryJob } from '../../src/integrator/delivery-job.ts';
import { DeliveryStore } from '../../src/integrator/delivery-store.ts';
import { defaultIntegratorTiming } from '../../src/integrator/integrator.ts';
import { silent } from '../../src/log.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import type { Database } from '../../src/store/database.ts';
import { makeTables } from '../../src/store/tables.ts';
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

/** A stored result with two outcomes, which was answered so before. @returns the id of its delivery */
async function storedResult(
  database: Database,
  { payload: { access_token: token, ...payload } }: TestTask,
  answers: readonly (number | null)[],
): Promise<string> {
  const [delivery] = await database.query(
    `INSERT INTO deliveries
       (endpoint, task_result_id, stage, payload, access_token, status, result, received_at, deadline)
     VALUES ('review', $1, 'pre_plan', $2, $3, 'reviewed', $4, now(), now() + interval '10 minutes') RETURNING id`,
    [
      payload.task_result_id,
      JSON.stringify(payload),
      token,
      JSON.stringify({ ...fine, outcomes: outcomes(2) }),
    ],
  );
  const id = String(delivery?.['id']);
  const callback = `INSERT INTO callbacks (delivery, at, status, http_status) VALUES ($1, now(), 'passed', $2)`;
  for (const answer of answers) await database.query(callback, [id, answer]);
  return id;
}

describeOnBothDatabases('the end of a delivery', (databases) => {
  let database: Database;
  beforeAll(async () => {
    database = await databases.openDatabase();
    await makeTables(database);
  });
  const rejects = 'reject';
  const takesNoOutcomes = 'take no outcomes';
  const hasIt = 'have it';

  test.each<[number | null | undefined, string, string, number[]]>([
    // The answer before, what the platform does with this one, the end, and the outcomes of each callback.
    [undefined, 'take', 'delivered', [2]],
    [undefined, takesNoOutcomes, 'delivered', [2, 0]],
    [undefined, rejects, 'given_up', [2, 0]],
    [401, rejects, 'given_up', [2, 0]],
    [422, rejects, 'given_up', [0]],
    [null, takesNoOutcomes, 'delivered', [2, 0]],
    [null, hasIt, 'unsure', [2, 0]],
    [408, hasIt, 'unsure', [2, 0]],
    [503, rejects, 'unsure', [2, 0]],
    // The process ended before it stored the end.
    [200, rejects, 'delivered', []],
  ])('after %s, at a platform that would %s: %s', async (before, platformWould, end, sent) => {
    const platform = await openTestPlatform();
    const task = platform.newTask({
      stage: 'pre_plan',
      onCallback: (_, result) =>
        platformWould === rejects || (platformWould === takesNoOutcomes && result?.outcomes.length !== 0)
          ? 'reject'
          : 'take',
    });
    if (platformWould === hasIt) task.finals.push(fine);
    const delivery = await storedResult(database, task, before === undefined ? [] : [before]);
    const ends: string[] = [];
    const parts: IntegratorParts = {
      deliveries: new DeliveryStore(database, Date.now),
      outbound: new Outbound({ allowedOrigins: [platform.address] }),
      endpoints: new Map(),
      review: async () => fine,
      reviewing: pLimit(1),
      sendLarge: async () => {},
      userAgent: 'gatehouse/test (+test)',
      now: Date.now,
      log: silent,
      timing: defaultIntegratorTiming,
      stopping: new AbortController().signal,
      onAnswer: () => {},
      onEnd: (status) => ends.push(status),
    };
    // The queue retries what throws.
    for (let attempt = 0; attempt < 3 && ends.length === 0; attempt += 1) {
      await runDeliveryJob(parts, { delivery }).catch(() => {});
    }
    const [row] = await database.query('SELECT status, access_token FROM deliveries WHERE id = $1', [
      delivery,
    ]);
    await platform.close();
    expect(ends).toEqual([end]);
    expect(row).toEqual({ status: end, access_token: null });
    expect(task.callbacks.map(({ result }) => result?.outcomes.length)).toEqual(sent);
  });
});
