import { expect, test } from '@jest/globals';
import { until } from '../../../test/harness/until.ts';
import { silent } from '../src/log.ts';
import { keptMs, startRetention, sweepOld } from '../src/retention.ts';
import { callBack } from './platform/scripted-integrator.ts';
import { describePlatform } from './platform/started-platform.ts';

/** Milliseconds: the oldest that the store can have. */
const longAgo = Date.UTC(2000, 0, 1);

describePlatform('the retention', (under) => {
  const count = async (table: string, where = 'true', values: unknown[] = []) => {
    const sql = `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`;
    return (await under.database.query(sql, values))[0]?.['count'];
  };
  const counts = async (id: string) => [
    await count('deliveries', 'id = $1', [id]),
    await count('callbacks', 'delivery = $1', [id]),
  ];
  const sweepAt = (now: number) => sweepOld({ database: under.database, now: () => now });

  test('deletes a run with its plan, tasks and tokens 90 days after its end, and not before', async () => {
    const { run, request } = await under.asked('post_plan');
    await callBack(request, 'passed');
    const { id, endedAt = 0, status } = await under.ended(run.id);
    expect(status).toBe('applied');
    expect(keptMs).toBe(90 * 86_400_000);

    await sweepAt(endedAt + keptMs - 1);
    expect(await count('runs', 'id = $1 AND plan IS NOT NULL', [id])).toBe(1);

    await sweepAt(endedAt + keptMs);
    expect(await count('runs', 'id = $1', [id])).toBe(0);
    expect(await count('task_results', 'run = $1', [id])).toBe(0);
    expect(await count('access_tokens')).toBe(0);
    await expect(under.platform.readRun(id)).rejects.toMatchObject({ code: 'run_unknown' });
  });

  test('keeps a run that is open, however old, and it goes on', async () => {
    const { run: held, request } = await under.asked('post_plan');
    const waiting = await under.run();

    await sweepAt(under.now + 100 * keptMs);
    expect((await under.platform.readRun(waiting.id)).status).toBe('pending');
    expect((await callBack(request, 'passed')).status).toBe(200);
    expect((await under.ended(held.id)).status).toBe('applied');
    await under.cancel(waiting.id, 'bob');
  });

  const insertDelivery = async (status: string, endedAt: number | null) => {
    const [row] = await under.database.query(
      `INSERT INTO deliveries
         (endpoint, task_result_id, stage, payload, access_token, status, received_at, deadline, ended_at)
       VALUES ('review', gen_random_uuid(), 'post_plan', '{}', $1, $2, $3, $3, $4) RETURNING id`,
      [
        endedAt === null ? 'token' : null,
        status,
        new Date(longAgo),
        endedAt === null ? null : new Date(endedAt),
      ],
    );
    const callback = `INSERT INTO callbacks (delivery, at, status) VALUES ($1, now(), 'passed')`;
    await under.database.query(callback, [row?.['id']]);
    return row?.['id'] as string;
  };

  test.each(['delivered', 'given_up'])(
    'deletes a delivery that was %s 90 days ago, with its callbacks, and not before',
    async (status) => {
      const id = await insertDelivery(status, under.now);
      await sweepAt(under.now + keptMs - 1);
      expect(await counts(id)).toEqual([1, 1]);
      await sweepAt(under.now + keptMs);
      expect(await counts(id)).toEqual([0, 0]);
    },
  );

  test.each(['received', 'working', 'reviewed'])(
    'keeps a delivery that is %s, however old',
    async (status) => {
      const id = await insertDelivery(status, null);
      await sweepAt(under.now + 100 * keptMs);
      expect(await count('deliveries', 'id = $1', [id])).toBe(1);
    },
  );

  test('deletes all that is due, however much it is, with others who do the same', async () => {
    await under.database.query(
      `INSERT INTO deliveries
         (endpoint, task_result_id, stage, payload, status, received_at, deadline, ended_at)
       SELECT 'many', n::text, 'pre_plan', '{}', 'delivered', $1, $1, $1 FROM generate_series(1, 250) AS n`,
      [new Date(longAgo)],
    );
    await Promise.all([sweepAt(under.now), sweepAt(under.now)]);
    await sweepAt(under.now);
    expect(await count('deliveries', `endpoint = 'many'`)).toBe(0);
  });

  test('begins with what is due when it is started', async () => {
    const id = await insertDelivery('delivered', longAgo);
    const retention = startRetention({ database: under.database, log: silent, now: () => under.now });
    await until(async () => (await count('deliveries', 'id = $1', [id])) === 0);
    await retention.stop();
    expect(await count('deliveries', 'id = $1', [id])).toBe(0);
  });
});
