import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import type { Database } from '../../packages/run-tasks/src/store/database.ts';
import { openDatabase } from '../../packages/run-tasks/src/store/open-database.ts';
import { openPglite } from '../../packages/run-tasks/src/store/pglite.ts';
import { describeRunning } from './describe-running.ts';
import { root } from './environment-under-test.ts';
import { isIn } from './long-run.ts';
import { postgresPrograms, startPostgres } from './postgres.ts';
import { timedStart } from './real-parts.ts';

/** Where a test keeps what it stores. */
export interface TestedDatabase {
  /** Opens a database of the test's own, empty. It is closed after the last test of the block, if not before. */
  openDatabase(): Promise<Database>;
  /** What a process of its own needs to open one: `DATABASE_URL`, or a folder. */
  place(): Promise<{ url?: string; home: string }>;
  kind: 'pglite' | 'postgres';
}

/**
 * The same tests on PGlite and on a real PostgreSQL. Where that is missing, its block is skipped by name. A file named
 * `*.both.test.ts` runs PGlite in `npm test` and PostgreSQL in `npm run test:long`; one named `*.long.weekly.test.ts` runs PGlite in
 * `npm run test:weekly`.
 */
export function describeOnBothDatabases(name: string, tests: (database: TestedDatabase) => void): void {
  if (isIn('npm test')) describeOnPglite(name, tests);
  if (isIn('test:long')) describeOnPostgres(name, tests);
}

export const describeOnPglite: typeof describeOnBothDatabases = (name, tests) => {
  describe(`${name} (PGlite)`, () => {
    tests({ kind: 'pglite', place: pglitePlace, openDatabase: closing(openEmptied) });
  });
};

export const describeOnPostgres: typeof describeOnBothDatabases = (name, tests) => {
  const unavailable = postgresPrograms === undefined ? 'There is no PostgreSQL.' : undefined;
  describeRunning(`${name} (PostgreSQL)`, { start: () => startPostgres(), unavailable }, (server) => {
    const place = async () => ({ url: await server().newDatabase(), home: newHome() });
    const openOwn = async () => {
      const { url, home } = await place();
      return openDatabase(url, home);
    };
    tests({ kind: 'postgres', place, openDatabase: closing(openOwn) });
  });
};

/** It goes with the run of the tests. */
function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'gatehouse-'));
}

function closing(openOwn: TestedDatabase['openDatabase']): TestedDatabase['openDatabase'] {
  const opened = new Set<Database>();
  afterAll(async () => {
    for (const database of opened) await database.close();
  });
  return async () => {
    const database = await openOwn();
    opened.add(database);
    const close = async () => {
      if (opened.delete(database)) await database.close();
    };
    return { ...database, close };
  };
}

/** Those of this process that no test has: to open one takes a second of a core, to empty it a tenth of that. */
const free = new Set<Database>();

async function openEmptied(): Promise<Database> {
  const [database = await openKept()] = free;
  free.delete(database);
  for (const schema of ['pgboss', 'public']) await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await database.query('CREATE SCHEMA public');
  return { ...database, close: async () => void free.add(database) };
}

/** Opens one whose thread does not keep the process alive. */
async function openKept(): Promise<Database> {
  const { home } = await pglitePlace();
  process.once('worker', (thread) => thread.unref());
  return timedStart('PGlite', () => openDatabase(undefined, home));
}

async function pglitePlace(): Promise<{ home: string }> {
  const home = newHome();
  await copyTemplate(join(home, 'run-tasks'));
  return { home };
}

/** A new PGlite takes four seconds to make its catalogs: made once, and copied. */
async function copyTemplate(to: string): Promise<void> {
  const template = join(root, '.gatehouse', 'pglite-template');
  if (!existsSync(template)) {
    mkdirSync(join(root, '.gatehouse'), { recursive: true });
    const building = mkdtempSync(join(root, '.gatehouse', 'pglite-building-'));
    await (await openPglite(building)).close();
    try {
      renameSync(building, template);
    } catch {
      // Another test was first: its template is as good.
      rmSync(building, { recursive: true, force: true });
    }
  }
  // A thousand small files: Node's own copy takes three times as long.
  execFileSync('cp', ['-R', template, to]);
}
