import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { storedDeliveries } from '../../../run-tasks/pages/stored-deliveries.ts';
import { readWholeRun } from '../../../run-tasks/platform/run-store.ts';
import type { Database } from '../../../run-tasks/store/database.ts';
import { migrate } from '../../../run-tasks/store/migrate.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';

const sevenSteps = readFileSync(new URL('./store-of-seven-steps.sql', import.meta.url), 'utf8');

describeOnBothDatabases('the tables of the run tasks', (databases) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.open();
  });
  afterEach(() => database.close());
  const restore = async (to: Database) => {
    for (const statement of sevenSteps.split(/;\n/)) await to.query(statement);
  };
  /** All that makes a schema, in no order. */
  const schemaOf = async (of: Database) => {
    const rows = await of.query(`
      SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
          coalesce(column_default, identity_generation, '') AS line
        FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace`);
    return rows.map(({ line }) => line).sort();
  };

  test('are made once, whoever asks, and are those of a store that was made in seven steps', async () => {
    await Promise.all([migrate(database), migrate(database)]);
    const old = await databases.open();
    await restore(old);
    await migrate(old);
    expect(await schemaOf(database)).toEqual(await schemaOf(old));
    const versions = 'SELECT name FROM migrations ORDER BY name';
    expect(await database.query(versions)).toEqual(await old.query(versions));
  });

  test('of a store that was made in seven steps are brought up to date, with all that it has', async () => {
    await restore(database);
    await migrate(database);
    expect(await readWholeRun(database, 'run-1')).toMatchObject({
      ...{ stack: 'dev', status: 'applied', hasApplied: true, gained: ['role reader'], version: 9 },
      ...{ changes: { counts: { create: 1 } }, applyLog: ['created Role web'] },
      tasks: [{ id: 'task-1', status: 'failed', timing: { finalStatusMs: 600_000 } }],
      decisions: [{ kind: 'accepted', by: 'carol' }],
      verifications: [{ name: 'review' }],
    });
    const [delivery] = await storedDeliveries(database, { redeliver: async () => {} }).list({ limit: 10 });
    expect(delivery).toMatchObject({ status: 'reviewed', verdict: 'failed', workspaceName: 'dev' });
  });

  test('of an older store are refused, and what to do is said', async () => {
    await restore(database);
    await database.query(`DELETE FROM migrations WHERE name > '0005'`);
    await expect(migrate(database)).rejects.toThrow(
      /older Gatehouse[\s\S]*0004-decisions[\s\S]*Start gatehouse serve/,
    );
  });

  test('are not there at all where one cannot be made', async () => {
    await database.query('CREATE TABLE apply_log (id int)');
    await expect(migrate(database)).rejects.toThrow(/apply_log/);
    await expect(database.query('SELECT * FROM deliveries')).rejects.toThrow(/deliveries/);
  });
});
