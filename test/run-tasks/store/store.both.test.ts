import { beforeAll, expect, test } from '@jest/globals';
import { loggedError } from '../../../run-tasks/log.ts';
import type { Database } from '../../../run-tasks/store/database.ts';
import { migrate } from '../../../run-tasks/store/migrate.ts';
import { Queue } from '../../../run-tasks/store/queue.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';

describeOnBothDatabases('the store of the run tasks', (databases) => {
  let database: Database;
  const things = { name: '0001-things', sql: ['CREATE TABLE things (id int PRIMARY KEY)'] };
  const more = { name: '0002-more', sql: ['ALTER TABLE things ADD COLUMN name text'] };
  const ids = async () => (await database.query('SELECT id FROM things ORDER BY id')).map(({ id }) => id);

  beforeAll(async () => {
    database = await databases.open();
    await migrate(database, [things]);
  });

  test('runs each migration once, whoever asks, in the order of their names', async () => {
    await Promise.all([migrate(database, [more, things]), migrate(database, [more, things])]);
    expect(
      (await database.query('SELECT name FROM migrations ORDER BY name')).map(({ name }) => name),
    ).toEqual(['0001-things', '0002-more']);
  });

  test('has nothing of a migration that fails', async () => {
    const broken = {
      name: '0003-broken',
      sql: ['CREATE TABLE broken (id int)', 'SELECT nothing FROM nowhere'],
    };
    await expect(migrate(database, [broken])).rejects.toThrow(/nowhere/);
    await expect(database.query('SELECT * FROM broken')).rejects.toThrow(/broken/);
    expect(await ids()).toEqual([]);
  });

  test('stores and finds any text, with U+FFFD for NUL', async () => {
    await migrate(database, [more]);
    await database.transaction((sql) => sql.query('INSERT INTO things VALUES (2, $1)', ['a\0b']));
    expect(await database.query('DELETE FROM things WHERE name = $1 RETURNING name', ['a\0b'])).toEqual([
      { name: 'a\ufffdb' },
    ]);
  });

  test('says nothing of the values in the log of an error', async () => {
    await migrate(database, [more]);
    const failing = database.query('INSERT INTO things (name) VALUES ($1)', ['a token']);
    const logged = await failing.catch(loggedError);
    expect(logged).toMatchObject({ code: '23502' });
    expect(JSON.stringify(logged)).not.toContain('a token');
  });

  test('has nothing of a transaction that throws, and goes on', async () => {
    const failing = database.transaction(async (sql) => {
      await sql.query('INSERT INTO things (id) VALUES (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await ids()).toEqual([]);
  });

  test('does a job when, and only when, its transaction is committed', async () => {
    const queue = new Queue(database);
    await queue.start();
    const done: number[] = [];
    await queue.work<{ id: number }>('note', async ({ id }) => {
      done.push(id);
    });
    const send = (id: number, fail: boolean) =>
      database.transaction(async (sql) => {
        await sql.query('INSERT INTO things (id) VALUES ($1)', [id]);
        await queue.send(sql, 'note', { id });
        if (fail) throw new Error('no');
      });
    await expect(send(10, true)).rejects.toThrow('no');
    await send(11, false);
    await until(() => done.length > 0);
    await queue.stop();
    expect(done).toEqual([11]);
    expect(await ids()).toEqual([11]);
  });

  test('calls a handler that threw again', async () => {
    const queue = new Queue(database);
    await queue.start();
    const calls: number[] = [];
    await queue.work('again', async () => {
      calls.push(Date.now());
      if (calls.length === 1) throw new Error('not yet');
    });
    await database.transaction((sql) => queue.send(sql, 'again', {}));
    await until(() => calls.length === 2);
    await queue.stop();
    const [first = 0, second = 0] = calls;
    // Its pause is one to two seconds; by polling alone it would be five.
    expect(second - first).toBeGreaterThan(900);
    expect(second - first).toBeLessThan(4500);
  }, 20_000);

  test('does many jobs that are sent at once one right after the other', async () => {
    const queue = new Queue(database);
    await queue.start();
    const done: number[] = [];
    await queue.work<{ id: number }>('many', async ({ id }) => void done.push(id), { concurrency: 1 });
    const begun = Date.now();
    const ids = Array.from({ length: 20 }, (_, id) => id);
    await database.transaction(async (sql) => {
      for (const id of ids) await queue.send(sql, 'many', { id });
    });
    await until(() => done.length === ids.length);
    const took = Date.now() - begun;
    await queue.stop();
    expect(done).toEqual(ids);
    // By polling alone it would be five seconds for each.
    expect(took).toBeLessThan(4500);
  }, 20_000);

  test('goes from one job to the next without a pause', async () => {
    const queue = new Queue(database);
    await queue.start();
    const done: number[] = [];
    await queue.work<{ nth: number }>('many', async ({ nth }) => void done.push(nth), { concurrency: 1 });
    const all = Array.from({ length: 20 }, (_, nth) => nth);
    await database.transaction((sql) =>
      queue.sendAll(
        sql,
        'many',
        all.map((nth) => ({ nth })),
      ),
    );
    await until(() => done.length === all.length);
    await queue.stop();
    expect(done.toSorted((a, b) => a - b)).toEqual(all);
  }, 20_000);

  test('looks once for a job that comes alone', async () => {
    let fetches = 0;
    const newBoss = () => {
      const boss = database.newBoss();
      const sql = boss.getDb();
      const execute = sql.executeSql.bind(sql);
      sql.executeSql = (text, ...more) => {
        if (text.includes('SKIP LOCKED')) fetches += 1;
        return execute(text, ...more);
      };
      return boss;
    };
    const queue = new Queue({ ...database, newBoss });
    await queue.start();
    const done: number[] = [];
    await queue.work('one', async () => void done.push(1), { concurrency: 8 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    fetches = 0;
    await database.transaction((sql) => queue.send(sql, 'one', {}));
    await until(() => done.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await queue.stop();
    expect(fetches).toBe(1);
  }, 20_000);

  test('runs as many jobs at once as it may, so that a long one holds up no other', async () => {
    const queue = new Queue(database);
    await queue.start();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const begin = async () => {
      begun += 1;
      await end;
    };
    await queue.work('long', begin, { concurrency: 4 });
    const first = Date.now();
    await database.transaction((sql) => queue.sendAll(sql, 'long', [{}, {}, {}, {}]));
    await until(() => begun === 4);
    // By polling alone it would be five seconds.
    expect(Date.now() - first).toBeLessThan(2500);
    resolve();
    await queue.stop();
  }, 20_000);

  async function until(isTrue: () => boolean): Promise<void> {
    for (let waited = 0; !isTrue() && waited < 15_000; waited += 20) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
