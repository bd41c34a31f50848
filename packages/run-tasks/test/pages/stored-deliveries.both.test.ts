import { beforeAll, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { storedDeliveries } from '../../src/pages/stored-deliveries.ts';
import type { Database } from '../../src/store/database.ts';
import { makeTables } from '../../src/store/tables.ts';

const first = '0b7e2c1e-0000-4000-8000-000000000001';
const second = '0b7e2c1e-0000-4000-8000-000000000002';

describeOnBothDatabases('deliveries as pages have them', ({ openDatabase }) => {
  let database: Database;
  const deliveries = () => storedDeliveries(database, { retry: async () => {} });
  beforeAll(async () => {
    database = await openDatabase();
    await makeTables(database);
    const insert = `INSERT INTO deliveries (id, endpoint, task_result_id, stage, run_id, payload, access_token, status,
      result, error, received_at, deadline, ended_at)
      VALUES ($1, 'review', $2, 'post_plan', 'run-1', $3, $4, $5, $6, $7, $8, '2026-11-20T10:10:00Z', $9)`;
    const payload = JSON.stringify({ workspace_name: 'login-prod', run_app_url: 'https://p.example/run-1' });
    const result = JSON.stringify({ status: 'failed', message: 'no', outcomes: [] });
    await database.query(insert, [
      first,
      'taskrs-1',
      payload,
      'a-secret-token',
      'reviewed',
      result,
      null,
      '2026-11-20T10:00:00Z',
      null,
    ]);
    await database.query(insert, [
      second,
      'taskrs-2',
      payload,
      null,
      'given_up',
      null,
      'too late',
      '2026-11-20T10:01:00Z',
      '2026-11-20T10:10:00Z',
    ]);
    await database.query(
      `INSERT INTO callbacks (delivery, at, status, http_status, error)
       VALUES ($1, '2026-11-20T10:02:00Z', 'running', 200, NULL), ($1, '2026-11-20T10:03:00Z', 'failed', NULL, 'lost')`,
      [first],
    );
  });

  test('come the newest first, of one status where that is asked for', async () => {
    const ids = async (filter: { status?: 'reviewed' }) =>
      (await deliveries().list({ limit: 10, ...filter })).map(({ id }) => id);
    expect([await ids({}), await ids({ status: 'reviewed' })]).toEqual([[second, first], [first]]);
  });

  test('have what was sent, what came of it and every callback, and no token', async () => {
    const found = await deliveries().read(first);
    expect(found).toMatchObject({
      status: 'reviewed',
      verdict: 'failed',
      taskResultId: 'taskrs-1',
      runId: 'run-1',
      workspaceName: 'login-prod',
      organizationName: null,
      runAppUrl: 'https://p.example/run-1',
      receivedAt: '2026-11-20T10:00:00.000Z',
      endedAt: null,
      result: { status: 'failed', message: 'no' },
      callbacks: [
        { at: '2026-11-20T10:02:00.000Z', status: 'running', httpStatus: 200, error: null },
        { at: '2026-11-20T10:03:00.000Z', status: 'failed', httpStatus: null, error: 'lost' },
      ],
    });
    expect(JSON.stringify(found)).not.toContain('a-secret-token');
  });

  test.each(['none', '', second.toUpperCase(), "' OR true --"])('are none by the id %j', async (id) => {
    expect(await deliveries().read(id)).toBeUndefined();
  });
});
