import { expect, test } from '@jest/globals';
import { startedForEach } from '../../../../test/harness/started.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { makeTables } from '../../src/store/tables.ts';

describeOnBothDatabases('the tables of the run tasks', (databases) => {
  const database = startedForEach(() => databases.openDatabase());

  test('are made once, whoever asks', async () => {
    await Promise.all([makeTables(database()), makeTables(database())]);
    expect(await database().query('SELECT version FROM store')).toEqual([{ version: 1 }]);
    expect(await database().query('SELECT id FROM runs')).toEqual([]);
  });

  test('of another version are refused, and stay', async () => {
    await makeTables(database());
    await database().query('UPDATE store SET version = 2');
    await expect(makeTables(database())).rejects.toMatchObject({
      code: 'database_unusable',
      message: expect.stringContaining('format 2'),
    });
    expect(await database().query('SELECT version FROM store')).toEqual([{ version: 2 }]);
  });

  test('are not there at all where one cannot be made', async () => {
    await database().query('CREATE TABLE apply_log (id int)');
    await expect(makeTables(database())).rejects.toThrow(/apply_log/);
    await expect(database().query('SELECT * FROM deliveries')).rejects.toThrow(/deliveries/);
  });
});
