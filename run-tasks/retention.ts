import { type Log, silent } from './log.ts';
import type { Database, Sql } from './store/database.ts';

/** Milliseconds that a run or a delivery is kept after its end: 90 days. */
export const keptMs = 90 * 24 * 60 * 60 * 1000;
const sweepEveryMs = 60 * 60 * 1000;
/** Runs or deliveries that one transaction deletes: few, as others wait for it. */
const atOnce = 100;

interface RetentionArgs {
  database: Database;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: () => number;
  /** Defaults to writing nothing. */
  log?: Log;
}

/**
 * Deletes old runs, with their plans, tasks and outcomes, and old deliveries, with their callbacks. Unfinished ones are
 * kept, however old. Any number of processes may do it at once.
 */
export class Retention {
  readonly #args: Required<RetentionArgs>;
  #sweeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor({ database, now = Date.now, log = silent }: RetentionArgs) {
    this.#args = { database, now, log };
  }

  /** Deletes now, and every hour. */
  start(): void {
    const sweep = () => {
      this.#sweeping = this.sweep().catch((err: Error) =>
        this.#args.log.error({ err }, 'old runs and deliveries could not be deleted'),
      );
    };
    sweep();
    this.#sweeper = setInterval(sweep, sweepEveryMs);
    this.#sweeper.unref();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#sweeper);
    await this.#sweeping;
  }

  /** Deletes everything that is due. Public for tests, which have their own clock. */
  async sweep(): Promise<void> {
    const { database, now, log } = this.#args;
    const before = new Date(now() - keptMs);
    for (const [what, deleteSome] of [
      ['runs', deleteRuns],
      ['deliveries', deleteDeliveries],
    ] as const) {
      for (let deleted = atOnce; deleted === atOnce && !this.#isStopping; ) {
        deleted = await database.transaction((sql) => deleteSome(sql, before));
        if (deleted > 0) log.info({ deleted, what }, 'deleted old records');
      }
    }
  }
}

/** @returns how many were deleted; locked ones are skipped */
async function deleteRuns(sql: Sql, before: Date): Promise<number> {
  const rows = await sql.query(
    'SELECT id FROM runs WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED',
    [before, atOnce],
  );
  const runs = rows.map(({ id }) => id);
  await sql.query(
    'DELETE FROM access_tokens WHERE task_result IN (SELECT id FROM task_results WHERE run = ANY($1))',
    [runs],
  );
  await sql.query('DELETE FROM task_results WHERE run = ANY($1)', [runs]);
  await sql.query('DELETE FROM runs WHERE id = ANY($1)', [runs]);
  return runs.length;
}

/** @returns how many were deleted, together with their callbacks */
async function deleteDeliveries(sql: Sql, before: Date): Promise<number> {
  const rows = await sql.query(
    `DELETE FROM deliveries WHERE id IN
       (SELECT id FROM deliveries WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [before, atOnce],
  );
  return rows.length;
}
