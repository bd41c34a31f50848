import { setImmediate } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';

describeOnPglite('the thread of the database', (databases) => {
  let database: Database;
  beforeAll(async () => {
    database = await databases.openDatabase();
  });
  /** Takes a while, wherever it runs. */
  const long = 'SELECT count(*)::int AS count FROM generate_series(1, 300000)';

  test('leaves the thread that asks free for a whole statement', async () => {
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    expect(await database.query(long)).toEqual([{ count: 300_000 }]);
    isOver = true;
    await counting;
    expect(turns).toBeGreaterThan(100);
  });

  test('runs nothing of others within a transaction', async () => {
    await database.query('CREATE TABLE things (name text)');
    const done: string[] = [];
    const add = 'INSERT INTO things VALUES ($1)';
    const failing = database.transaction(async (sql) => {
      await sql.query(add, ['inside']);
      await sql.query(long);
      done.push('inside');
      throw new Error('no');
    });
    const outside = database.query(add, ['outside']).then(() => done.push('outside'));
    await expect(failing).rejects.toThrow('no');
    await outside;
    expect(done).toEqual(['inside', 'outside']);
    expect(await database.query('SELECT name FROM things')).toEqual([{ name: 'outside' }]);
  });

  test('says what the database says of a statement that fails, and goes on', async () => {
    await expect(database.query('SELECT * FROM nothing')).rejects.toMatchObject({
      code: '42P01',
      message: expect.stringContaining('nothing'),
    });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('is no longer there once it is closed: nothing waits for it', async () => {
    const { home } = await databases.place();
    const other = await openDatabase(undefined, home);
    await other.close();
    await expect(other.query('SELECT 1')).rejects.toThrow('the thread of the database ended');
  });
});
