import type { Database } from './database.ts';

/** Statements that take the tables from one version to the next. Never changed once released: a new one is added. */
export interface Migration {
  /** For example `0001-integrator`. Migrations run in the order of their names. */
  name: string;
  sql: string[];
}

/** Several processes may start at once: this one number keeps them apart while they migrate. */
const lockNumber = 4_774_001;

/** Brings the tables to what this version of Gatehouse needs. Each migration runs once, whole or not at all. */
export async function migrate(database: Database, migrations: Migration[]): Promise<void> {
  const sorted = [...migrations].sort((a, b) => (a.name < b.name ? -1 : 1));
  await database.transaction(async (sql) => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await sql.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz DEFAULT now())',
    );
    const done = new Set((await sql.query('SELECT name FROM migrations')).map(({ name }) => name));
    for (const { name, sql: statements } of sorted) {
      if (done.has(name)) continue;
      for (const statement of statements) await sql.query(statement);
      await sql.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
    }
  });
}
