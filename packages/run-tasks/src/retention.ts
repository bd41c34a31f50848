import { type Log, silent } from './log.ts';
import { repeat } from './repeat.ts';
import type { Database, Sql } from './store/database.ts';

/** Milliseconds that a run or a delivery is kept after its end, and a stack after it was last watched: 90 days. */
export const keptMs = 90 * 24 * 60 * 60 * 1000;
const sweepEveryMs = 60 * 60 * 1000;
/** Runs or deliveries per transaction: few, because other work waits for it. */
const atOnce = 100;

interface RetentionArgs {
  database: Database;
  now?: () => number;
  log?: Log;
  /** Ends the sweep after the transaction in progress. */
  stopping?: AbortSignal;
}

/** Deletes old records now, and every hour. */
export function startRetention(args: Omit<RetentionArgs, 'stopping'> & { log: Log }) {
  const ending = new AbortController();
  const sweep = () => sweepOld({ ...args, stopping: ending.signal });
  const stop = repeat(sweep, sweepEveryMs, args.log, 'old runs and deliveries could not be deleted');
  return {
    async stop(): Promise<void> {
      ending.abort();
      await stop();
    },
  };
}

/**
 * Deletes old runs, with their plans, tasks and outcomes, old deliveries, with their callbacks, and the history of watched
 * stacks. Unfinished runs and deliveries are kept, however old. Any number of processes may do it at once.
 */
export async function sweepOld({
  database,
  now = Date.now,
  log = silent,
  stopping,
}: RetentionArgs): Promise<void> {
  const before = new Date(now() - keptMs);
  for (const what of ['runs', 'deliveries'] as const) {
    for (let deleted = atOnce; deleted === atOnce && stopping?.aborted !== true; ) {
      deleted = await database.transaction((sql) => deleteSome(sql, what, before));
      if (deleted > 0) log.info({ deleted, what }, 'deleted old records');
    }
  }
  await database.query('DELETE FROM watched_stacks WHERE listed_at <= $1', [before]);
  await database.query('DELETE FROM watched_changes WHERE changed_at <= $1', [before]);
}

/** Deletes up to `atOnce` records; callbacks go with their delivery. Locked records are skipped. @returns how many */
async function deleteSome(sql: Sql, table: 'runs' | 'deliveries', before: Date): Promise<number> {
  const rows = await sql.query(
    `SELECT id FROM ${table} WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [before, atOnce],
  );
  const ids = rows.map(({ id }) => id);
  if (table === 'runs') {
    const tasks = 'SELECT id FROM task_results WHERE run = ANY($1)';
    await sql.query(`DELETE FROM access_tokens WHERE task_result IN (${tasks})`, [ids]);
    await sql.query('DELETE FROM task_results WHERE run = ANY($1)', [ids]);
  }
  await sql.query(`DELETE FROM ${table} WHERE id = ANY($1)`, [ids]);
  return ids.length;
}
