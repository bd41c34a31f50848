import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { fromPglite, PgBoss } from 'pg-boss';
import { GatehouseError } from '../../../core/model/errors.ts';
import { openSqliteFile, type SqliteFileKind } from '../../../storage/sqlite-file.ts';
import type { Database } from './database.ts';

/** PGlite has no lock of its own, and two processes on one folder would damage it. */
const lockFile: SqliteFileKind = {
  // "GtLk"
  applicationId: 0x47744c6b,
  formatVersion: 1,
  schema: '',
  locked: (path, cause) =>
    new GatehouseError({
      code: 'database_locked',
      what: 'the store of the run tasks is in use by another process',
      mend: 'End it, name another folder by GATEHOUSE_HOME, or a PostgreSQL by DATABASE_URL, which several may share.',
      where: path,
      cause,
    }),
  newer: (path) => unusable(path, 'it was made by a newer Gatehouse'),
  unwritable: (path, what, cause) => unusable(path, what, cause),
  damaged: (path, what, cause) => unusable(path, what, cause),
};

/**
 * Opens PostgreSQL in WebAssembly on a folder, made where there is none, for this process alone. It does not flush to
 * the disk: a killed process loses nothing, a power cut may lose or damage what was written last.
 *
 * @throws GatehouseError `database_locked`, `database_unusable`
 */
export async function openPglite(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = openSqliteFile(join(folder, 'lock.sqlite'), lockFile);
  const pglite = new PGlite(join(folder, 'pglite'));
  try {
    await pglite.waitReady;
  } catch (cause) {
    lock.close();
    throw unusable(folder, (cause as Error).message, cause);
  }
  return {
    isShared: false,
    query: async (text, values) => (await pglite.query(text, values)).rows as Record<string, unknown>[],
    transaction: (work) =>
      pglite.transaction((transaction) =>
        work({
          query: async (text, values) =>
            (await transaction.query(text, values)).rows as Record<string, unknown>[],
        }),
      ),
    newBoss: () =>
      new PgBoss({ db: fromPglite(pglite), backend: 'pglite', useListenNotify: true, schedule: false }),
    async close() {
      await pglite.close();
      lock.close();
    },
  };
}

function unusable(path: string, what: string, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'database_unusable',
    what: `the store of the run tasks cannot be used: ${what}`,
    mend: 'Restore it from a backup, or move it away to start with an empty one.',
    where: path,
    cause,
  });
}
