import { join } from 'node:path';
import type { Database } from './database.ts';

/**
 * Opens the store of the run tasks: the PostgreSQL that is named, or else PGlite in a folder. Each brings its own
 * library, so only the one that is used is loaded.
 *
 * @param home folder for local state
 * @throws GatehouseError `database_unreachable`, `database_locked`, `database_unusable`
 */
export async function openDatabase(url: string | undefined, home: string): Promise<Database> {
  if (url !== undefined && url !== '') {
    const { openPostgres } = await import('./postgres.ts');
    return await openPostgres(url);
  }
  const { openPglite } = await import('./pglite.ts');
  return await openPglite(join(home, 'run-tasks'));
}
