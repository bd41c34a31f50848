import type { Sql } from '../store/database.ts';
import { changesOf, insert, recordOf, update } from '../store/record.ts';
import type { RunTask } from './run.ts';

export async function insertTask(sql: Sql, task: RunTask, deadline: number): Promise<void> {
  await insert(sql, 'task_results', { ...task, deadline });
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

/** Runs with tasks that have no final status, and no time left. */
export async function readOverdueRuns(sql: Sql, now: number, limit: number): Promise<string[]> {
  const rows = await sql.query(
    `SELECT run FROM task_results WHERE ended_at IS NULL AND deadline <= $1
      GROUP BY run ORDER BY min(deadline) LIMIT $2`,
    [new Date(now), limit],
  );
  return rows.map(({ run }) => run as string);
}

/** Stores what changed of a task, the status first. */
export async function updateTask(sql: Sql, before: RunTask, after: RunTask, deadline: number): Promise<void> {
  await update(sql, 'task_results', after.id, { ...changesOf(before, after, taskChanges), deadline });
}

const taskChanges = [
  ...(['status', 'attempts', 'message', 'url', 'outcomes', 'updatedAt', 'acceptedAt', 'trouble'] as const),
  ...(['endedAt', 'supersededAt'] as const),
];
