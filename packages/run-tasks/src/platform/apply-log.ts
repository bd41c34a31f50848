import { RunStatus } from '@gatehouse/core/run-task';
import type { Log } from '../log.ts';
import type { Database, Sql } from '../store/database.ts';
import { grouped } from '../store/grouped.ts';

/** Lines that are kept of a run. Later lines of a larger apply are left out. */
export const mostLogLines = 1000;

/** @returns a function that appends a line to the log of an apply. It never fails the apply. */
export function applyLog(run: string, database: Database, log: Log): (line: string) => Promise<void> {
  return grouped(async (lines: string[]) => {
    await database
      .transaction((sql) => append(sql, run, lines))
      .catch((err: Error) => log.error({ err, run }, 'the log of an apply could not be stored'));
    return [];
  });
}

/** Locks the run first, like every change of its parts. A run that no longer applies keeps its log unchanged. */
async function append(sql: Sql, run: string, lines: readonly string[]): Promise<void> {
  const applying = await sql.query(
    'UPDATE runs SET version = version + 1 WHERE id = $1 AND status = $2 RETURNING id',
    [run, RunStatus.applying],
  );
  if (applying.length === 0) return;
  await sql.query(
    `INSERT INTO apply_log (run, line) SELECT $1, line FROM unnest($2::text[]) WITH ORDINALITY AS given (line, place)
      ORDER BY place LIMIT greatest(0, $3::int - (SELECT count(*) FROM apply_log WHERE run = $1))`,
    [run, lines, mostLogLines],
  );
}

/** Lines of the log, the oldest first. */
export async function readApplyLog(sql: Sql, run: string): Promise<string[]> {
  const rows = await sql.query('SELECT line FROM apply_log WHERE run = $1 ORDER BY number', [run]);
  return rows.map(({ line }) => line as string);
}
