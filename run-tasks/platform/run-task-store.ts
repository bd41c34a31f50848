import { hasEnded } from '../../core/run-task/task-result.ts';
import type { Sql } from '../store/database.ts';
import { insert, recordOf, update } from '../store/record.ts';
import type { RunTask } from './run.ts';

export async function insertTask(sql: Sql, task: RunTask, position: number, deadline: number): Promise<void> {
  await insert(sql, 'task_results', { ...task, position, deadline });
}

export async function readTask(sql: Sql, id: string): Promise<RunTask | undefined> {
  const [row] = await sql.query('SELECT * FROM task_results WHERE id = $1', [id]);
  return row && recordOf<RunTask>(row);
}

/** The tasks of a run, in the order of their stages and of their declaration. */
export async function readTasks(sql: Sql, run: string): Promise<RunTask[]> {
  const rows = await sql.query('SELECT * FROM task_results WHERE run = $1 ORDER BY requested_at, position', [
    run,
  ]);
  return rows.map((row) => recordOf<RunTask>(row));
}

/** Ids of tasks that have no final status, and no time left. */
export async function readOverdue(sql: Sql, now: number, limit: number): Promise<string[]> {
  const rows = await sql.query(
    'SELECT id FROM task_results WHERE ended_at IS NULL AND deadline <= $1 ORDER BY deadline LIMIT $2',
    [new Date(now), limit],
  );
  return rows.map(({ id }) => id as string);
}

/** Stores a reported status. The task ends now if it is final. */
export async function updateTask(sql: Sql, task: RunTask, deadline: number, now: number): Promise<void> {
  const { id, status, message, url, outcomes, updatedAt } = task;
  const endedAt = hasEnded(task) ? now : undefined;
  await update(sql, 'task_results', id, { status, message, url, outcomes, updatedAt, deadline, endedAt });
}

export async function recordAttempt(
  sql: Sql,
  id: string,
  { acceptedAt, trouble }: { acceptedAt?: number; trouble?: string },
): Promise<void> {
  await sql.query(
    `UPDATE task_results SET attempts = attempts + 1, accepted_at = coalesce(accepted_at, $2), trouble = $3
      WHERE id = $1`,
    [id, acceptedAt === undefined ? null : new Date(acceptedAt), trouble ?? null],
  );
}
