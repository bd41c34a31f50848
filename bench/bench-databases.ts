import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { openPglite } from '../services/run-tasks/store/pglite.ts';
import { postgresPrograms, startPostgres } from '../test/postgres.ts';

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
  // A new PGlite takes four seconds to make its catalogues: made once, and copied.
  const template = join(folder, 'template');
  await mkdir(template);
  await (await openPglite(template)).close();
  const databases: BenchDatabase[] = [
    {
      name: 'PGlite',
      async newStore() {
        const home = await newHome();
        await cp(template, join(home, 'run-tasks'), { recursive: true });
        return { home };
      },
    },
  ];
  if (postgresPrograms === undefined) return { databases, close: async () => {} };
  const postgres = await startPostgres();
  databases.push({
    name: 'PostgreSQL',
    newStore: async () => ({ url: await postgres.newDatabase(), home: await newHome() }),
  });
  return { databases, close: () => postgres.close() };
}
