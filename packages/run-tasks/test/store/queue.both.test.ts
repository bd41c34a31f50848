import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Database } from '../../src/store/database.ts';
import { Queue } from '../../src/store/queue.ts';

describeOnBothDatabases('the queue of the run tasks', (databases) => {
  let database: Database;
  let queue: Queue;
  let name = '';
  let count = 0;
  beforeAll(async () => {
    database = await databases.openDatabase();
    await database.query('CREATE TABLE things (id int PRIMARY KEY)');
  });
  beforeEach(async () => {
    queue = new Queue(database, { pollSeconds: 0.5 });
    await queue.start();
    count += 1;
    name = `queue-${count}`;
  });
  afterEach(() => queue.stop());
  const numbers = Array.from({ length: 20 }, (_, nth) => nth);
  const sendAll = (all: number[]) =>
    database.transaction((sql) =>
      queue.sendAll(
        sql,
        name,
        all.map((nth) => ({ nth })),
      ),
    );

  test('does a job when, and only when, its transaction is committed', async () => {
    const done: number[] = [];
    await queue.work<{ id: number }>(name, async ({ id }) => void done.push(id));
    const send = (id: number, fail: boolean) =>
      database.transaction(async (sql) => {
        await sql.query('INSERT INTO things (id) VALUES ($1)', [id]);
        await queue.send(sql, name, { id });
        if (fail) throw new Error('no');
      });
    await expect(send(10, true)).rejects.toThrow('no');
    await send(11, false);
    await until(() => done.length > 0);
    await queue.stop();
    expect(done).toEqual([11]);
    expect(await database.query('SELECT id FROM things')).toEqual([{ id: 11 }]);
  });

  test('calls a handler that threw again, after a pause, and does not repeat its neighbors', async () => {
    const calls: { nth: number; at: number }[] = [];
    await queue.work<{ nth: number }>(name, async ({ nth }) => {
      calls.push({ nth, at: Date.now() });
      if (nth === 1 && calls.filter((one) => one.nth === 1).length === 1) throw new Error('not yet');
    });
    await sendAll([0, 1]);
    await until(() => calls.length === 3);
    await queue.stop();
    const [first, second] = calls.filter(({ nth }) => nth === 1);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900);
    expect(calls.filter(({ nth }) => nth === 0)).toHaveLength(1);
  });

  test('does many jobs that are sent at once, each once', async () => {
    const done: number[] = [];
    await queue.work<{ nth: number }>(name, async ({ nth }) => void done.push(nth), { workers: 1, batch: 5 });
    await sendAll(numbers);
    await until(() => done.length >= numbers.length);
    await queue.stop();
    expect(done.toSorted((a, b) => a - b)).toEqual(numbers);
  });

  test('is not held up by a job that takes long', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const done: number[] = [];
    await queue.work<{ nth: number }>(name, async ({ nth }) => {
      if (nth === 0) await end;
      done.push(nth);
    });
    await sendAll(numbers);
    await until(() => done.length === numbers.length - 1);
    resolve();
  });

  test('hands back what is not done in time when it stops', async () => {
    const started: string[] = [];
    await queue.work(name, async () => {
      started.push('first');
      await new Promise(() => {});
    });
    await sendAll([1]);
    await until(() => started.length === 1);
    await queue.stop(50);
    queue = new Queue(database, { pollSeconds: 0.5 });
    await queue.start();
    await queue.work(name, async () => void started.push('second'));
    await until(() => started.length === 2);
    expect(started).toEqual(['first', 'second']);
  });
});
