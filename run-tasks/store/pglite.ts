import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { fromPglite, PgBoss } from 'pg-boss';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { openSqliteFile, type SqliteFileKind } from '../../storage/sqlite-file.ts';
import type { Database, Row } from './database.ts';

/** PGlite does not lock its folder, and two processes would damage it. */
const lockFile: SqliteFileKind = {
  // "GtLk"
  applicationId: 0x47744c6b,
  formatVersion: 1,
  schema: '',
  locked: (path, cause) =>
    new GatehouseError({
      code: 'database_locked',
      what: 'the store of the run tasks is in use by another process',
      fix: 'Stop that process, set GATEHOUSE_HOME to another folder, or share a PostgreSQL with DATABASE_URL.',
      where: path,
      cause,
    }),
  newer: (path) => unusable(path, 'it was made by a newer Gatehouse'),
  unwritable: unusable,
  damaged: unusable,
};

/**
 * With the default of 128 MB the database takes 280 MB of memory, with this 80 MB (packages/bench/README.md). The system caches the
 * files anyway.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

/**
 * Opens PostgreSQL in WebAssembly on a folder, for this process alone. It does not flush to disk: a killed process loses
 * nothing, but a power cut may lose or damage the last writes.
 *
 * @throws GatehouseError `database_locked`, `database_unusable`
 */
export async function openPglite(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = openSqliteFile(join(folder, 'lock.sqlite'), lockFile);
  // Optimizing the WebAssembly code would keep a core busy for a while, and take half a gigabyte.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  const data = join(folder, 'pglite');
  let pglite: PGlite;
  try {
    if (!existsSync(data)) await makeData(data);
    pglite = new PGlite(data, { startParams });
    await pglite.waitReady;
  } catch (cause) {
    lock.close();
    throw unusable(folder, (cause as Error).message, cause);
  }
  return {
    isShared: false,
    query: async (text, values) => (await pglite.query<Row>(text, values)).rows,
    transaction: (work) =>
      pglite.transaction((transaction) =>
        work({ query: async (text, values) => (await transaction.query<Row>(text, values)).rows }),
      ),
    newBoss: () =>
      new PgBoss({ db: fromPglite(pglite), backend: 'pglite', useListenNotify: true, schedule: false }),
    async close() {
      await pglite.close();
      lock.close();
    },
  };
}

/** The folder gets its name once it is complete: the process may be killed before that. */
async function makeData(data: string): Promise<void> {
  const draft = `${data}.new`;
  await rm(draft, { recursive: true, force: true });
  const pglite = new PGlite(draft, { startParams, loadDataDir: await dataDir() });
  await pglite.waitReady;
  await pglite.close();
  await rename(draft, data);
}

function unusable(path: string, what: string, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'database_unusable',
    what: `the store of the run tasks cannot be used: ${what}`,
    fix: 'Restore it from a backup, or move it away to start with an empty one.',
    where: path,
    cause,
  });
}
