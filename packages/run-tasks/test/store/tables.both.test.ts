import { expect, test } from '@jest/globals';
import { startedForEach } from '../../../../test/harness/started.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { checkStorable, makeTables } from '../../src/store/tables.ts';

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

  test('are ready only where something can be stored, not where they can be read', async () => {
    await makeTables(database());
    await checkStorable(database());
    await database().query(
      'CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE disk_full; END $$ LANGUAGE plpgsql',
    );
    await database().query('CREATE TRIGGER full_disk BEFORE UPDATE ON store EXECUTE FUNCTION refuse()');
    expect(await database().query('SELECT version FROM store')).toEqual([{ version: 1 }]);
    await expect(checkStorable(database())).rejects.toThrow();
  });

  test('are not there at all where one cannot be made', async () => {
    await database().query('CREATE TABLE apply_log (id int)');
    await expect(makeTables(database())).rejects.toThrow(/apply_log/);
    await expect(database().query('SELECT * FROM deliveries')).rejects.toThrow(/deliveries/);
  });
});
