import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import type { ReceivedPayload } from '../../../core/src/run-task/payload.ts';
import { RequestStore } from '../../src/integrator/request-store.ts';
import type { Database } from '../../src/store/database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';

const payload = (id: string, change: Partial<ReceivedPayload> = {}) =>
  ({
    task_result_id: id,
    stage: 'pre_plan',
    access_token: 'a token',
    run_id: 'run',
    ...change,
  }) as ReceivedPayload;

describeOnBothDatabases('the store of run task requests', (databases) => {
  let database: Database;
  let queue: Queue;
  let started: string[];
  let transactions: number;
  const reviewQueue = 'integrator-delivery';
  const newStore = (transaction?: Database['transaction'], elapsed?: () => number) =>
    new RequestStore({
      database: {
        ...database,
        transaction(work) {
          transactions += 1;
          return (transaction ?? database.transaction)(work);
        },
      },
      queue,
      now: Date.now,
      timing: { finalStatusMs: 600_000 },
      ...(elapsed === undefined ? {} : { elapsed }),
    });
  const rows = async () => await database.query('SELECT * FROM deliveries ORDER BY task_result_id');

  beforeAll(async () => {
    database = await databases.openDatabase();
    await makeTables(database);
    await database.query(`ALTER TABLE deliveries ADD CHECK (run_id <> 'poison')`);
  });
  beforeEach(async () => {
    await database.query('DELETE FROM deliveries');
    started = [];
    transactions = 0;
    queue = new Queue(database, { pollSeconds: 0.5 });
    await queue.start();
    await queue.work<{ delivery: string }>(reviewQueue, async ({ delivery }) => void started.push(delivery));
  });
  // Before the database is closed.
  afterEach(() => queue.stop());

  test('stores requests that come together in few transactions, each with its job', async () => {
    const store = newStore();
    const ids = Array.from({ length: 40 }, (_, at) => `task-${String(at).padStart(2, '0')}`);
    const statuses = await Promise.all(ids.map((id) => store.store({ endpoint: 'e', payload: payload(id) })));
    expect(new Set(statuses)).toEqual(new Set(['received']));
    expect(transactions).toBeLessThan(5);
    expect((await rows()).map((row) => row['task_result_id'])).toEqual(ids);
    await until(() => started.length === ids.length);
    expect(started.toSorted()).toEqual((await rows()).map(({ id }) => id).toSorted());
  });

  test('stores a request once that comes twice at once, with the newer token', async () => {
    const store = newStore();
    const send = (token: string) =>
      store.store({ endpoint: 'e', payload: payload('task', { access_token: token }) });
    expect(await Promise.all([send('old'), send('new')])).toEqual(['received', 'received']);
    expect(await rows()).toMatchObject([{ access_token: 'new' }]);
    await until(() => started.length > 0);
    expect(started).toEqual((await rows()).map(({ id }) => id));
  });

  test('says the status of a request that has come before, also among new ones', async () => {
    const store = newStore();
    await store.store({ endpoint: 'e', payload: payload('known') });
    await database.query(
      `UPDATE deliveries SET status = 'given_up', access_token = NULL, ended_at = now() WHERE task_result_id = 'known'`,
    );
    const all = ['a', 'known', 'z'].map((id) => store.store({ endpoint: 'e', payload: payload(id) }));
    expect(await Promise.all(all)).toEqual(['received', 'given_up', 'received']);
    expect((await rows()).map((row) => row['access_token'])).toEqual(['a token', null, 'a token']);
  });

  test('stores the others where the database does not take one', async () => {
    const store = newStore();
    const runs = ['one', 'poison', 'two'];
    const all = runs.map((run) => store.store({ endpoint: 'e', payload: payload(run, { run_id: run }) }));
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((await rows()).map((row) => row['task_result_id'])).toEqual(['one', 'two']);
  });

  test('goes on after a database that was lost', async () => {
    let isLost = true;
    const store = newStore((work) =>
      isLost ? Promise.reject(new Error('lost')) : database.transaction(work),
    );
    await expect(store.store({ endpoint: 'e', payload: payload('a') })).rejects.toThrow('lost');
    isLost = false;
    expect(await store.store({ endpoint: 'e', payload: payload('a') })).toBe('received');
  });

  test('lets requests go first, and work begin when they pause', async () => {
    const order: string[] = [];
    const store = newStore();
    const stored = store.store({ endpoint: 'e', payload: payload('a') }).then(() => order.push('stored'));
    const worked = store.awaitPause().then(() => order.push('worked'));
    await Promise.all([stored, worked]);
    expect(order).toEqual(['stored', 'worked']);
  });

  test('lets work begin five seconds later at most, however long requests come', async () => {
    let elapsed = 0;
    const nothing = (async () => new Map()) as Database['transaction'];
    const store = newStore(nothing, () => elapsed);
    const stored: Promise<unknown>[] = [];
    const come = () => stored.push(store.store({ endpoint: 'e', payload: payload('a') }));
    let hasStarted = false;
    const startedByNow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return hasStarted;
    };
    come();
    const worked = store.awaitPause().then(() => {
      hasStarted = true;
    });
    while (elapsed < 4_980) {
      elapsed += 19;
      come();
    }
    expect(await startedByNow()).toBe(false);
    elapsed = 5_000;
    come();
    await worked;
    await Promise.all(stored);
  });
});
