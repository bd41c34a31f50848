import { join } from 'node:path';
import type { Database, Sql } from './database.ts';

/**
 * Opens the store of the run tasks: PostgreSQL if a URL is given, otherwise PGlite in a folder. Loads only the library that
 * it uses.
 *
 * @param home folder for local state
 * @throws GatehouseError `database_unreachable`, `database_locked`, `database_unusable`
 */
export async function openDatabase(url: string | undefined, home: string): Promise<Database> {
  if (url) {
    const { openPostgres } = await import('./postgres.ts');
    return withAnyText(await openPostgres(url));
  }
  const { openPglite } = await import('./pglite.ts');
  return withAnyText(await openPglite(join(home, 'run-tasks')));
}

/** Replaces NUL, which PostgreSQL does not accept in text, by U+FFFD, so that any text can be stored and sought. */
function withAnyText(database: Database): Database {
  const taking = ({ query }: Sql): Sql => ({ query: (text, values) => query(text, storable(values)) });
  return {
    ...database,
    ...taking(database),
    transaction: (work) => database.transaction((sql) => work(taking(sql))),
  };
}

function storable(values: unknown[] = []): unknown[] {
  return values.map((value) => {
    if (Array.isArray(value)) return storable(value);
    return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
  });
}
