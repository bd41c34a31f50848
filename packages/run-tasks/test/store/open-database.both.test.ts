import { beforeAll, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { loggedError } from '../../src/log.ts';
import type { Database } from '../../src/store/database.ts';

describeOnBothDatabases('the store of the run tasks', (databases) => {
  let database: Database;
  beforeAll(async () => {
    database = await databases.openDatabase();
    await database.query('CREATE TABLE things (id int PRIMARY KEY, name text)');
  });

  test('stores and finds any text, with U+FFFD for NUL', async () => {
    await database.transaction((sql) => sql.query('INSERT INTO things VALUES (2, $1)', ['a\0b']));
    expect(await database.query('DELETE FROM things WHERE name = $1 RETURNING name', ['a\0b'])).toEqual([
      { name: 'a\ufffdb' },
    ]);
  });

  test('logs no value of a statement that failed', async () => {
    const failing = database.query('INSERT INTO things (name) VALUES ($1)', ['a token']);
    const logged = await failing.catch(loggedError);
    expect(logged).toMatchObject({ code: '23502' });
    expect(JSON.stringify(logged)).not.toContain('a token');
  });

  test('keeps nothing of a transaction that throws, and goes on', async () => {
    const failing = database.transaction(async (sql) => {
      await sql.query('INSERT INTO things (id) VALUES (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.query('SELECT * FROM things')).toEqual([]);
  });
});
