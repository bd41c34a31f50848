import { join } from 'node:path';
import type { Database } from './database.ts';

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
    return await openPostgres(url);
  }
  const { openPglite } = await import('./pglite.ts');
  return await openPglite(join(home, 'run-tasks'));
}
