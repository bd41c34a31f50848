import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from '../test/harness/postgres.ts';

/** Where a process keeps what it stores: `DATABASE_URL`, or its folder. */
export interface Store {
  url?: string;
  home: string;
}

export interface BenchDatabase {
  name: 'PGlite' | 'PostgreSQL';
  /** A new, empty one. */
  newStore(): Promise<Store>;
}

/**
 * Both databases of the run tasks; PGlite alone where no PostgreSQL is installed.
 *
 * @param folder for what they store
 */
export async function openBenchDatabases(
  folder: string,
): Promise<{ databases: BenchDatabase[]; close(): Promise<void> }> {
  const newHome = () => mkdtemp(join(folder, 'store-'));
  const databases: BenchDatabase[] = [{ name: 'PGlite', newStore: async () => ({ home: await newHome() }) }];
  if (postgresPrograms === undefined) return { databases, close: async () => {} };
  const postgres = await startPostgres();
  databases.push({
    name: 'PostgreSQL',
    newStore: async () => ({ url: await postgres.newDatabase(), home: await newHome() }),
  });
  return { databases, close: () => postgres.close() };
}
