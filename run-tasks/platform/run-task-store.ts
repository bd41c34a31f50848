import type { EnforcementLevel } from '../../core/run-task/enforcement-level.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import { hasEnded, type TaskStatus } from '../../core/run-task/task-result.ts';
import type { Row, Sql } from '../store/database.ts';
import type { RunTask } from './run.ts';

const columns = `id, run, stage, name, request_url, enforcement, status, message, url, outcomes, requested_at, updated_at,
  accepted_at, attempts, trouble, ended_at`;

export async function insertTask(sql: Sql, task: RunTask, position: number, deadline: number): Promise<void> {
  await sql.query(
    `INSERT INTO task_results (id, run, stage, position, name, request_url, enforcement, status, requested_at, deadline)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      task.id,
      task.run,
      task.stage,
      position,
      task.name,
      task.requestUrl,
      task.enforcement,
      task.status,
      new Date(task.requestedAt),
      new Date(deadline),
    ],
  );
}

export async function readTask(sql: Sql, id: string): Promise<RunTask | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM task_results WHERE id = $1`, [id]);
  return row && taskOf(row);
}

/** Tasks of the runs, in the order of the stages they came to and of their declaration. */
export async function readTasks(sql: Sql, runs: string[]): Promise<RunTask[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM task_results WHERE run = ANY($1) ORDER BY requested_at, position`,
    [runs],
  );
  return rows.map(taskOf);
}

/** Tasks without a final status whose time is over. */
export async function readOverdue(
  sql: Sql,
  now: number,
  limit: number,
): Promise<{ id: string; run: string }[]> {
  const rows = await sql.query(
    'SELECT id, run FROM task_results WHERE ended_at IS NULL AND deadline <= $1 ORDER BY deadline LIMIT $2',
    [new Date(now), limit],
  );
  return rows.map(({ id, run }) => ({ id: id as string, run: run as string }));
}

/** Stores what was reported of a task. `endedAt` is now where that ends it. */
export async function updateTask(sql: Sql, task: RunTask, deadline: number, now: number): Promise<void> {
  await sql.query(
    `UPDATE task_results SET status = $2, message = $3, url = $4, outcomes = $5::jsonb, updated_at = $6,
        deadline = $7, ended_at = $8 WHERE id = $1`,
    [
      task.id,
      task.status,
      task.message ?? null,
      task.url ?? null,
      JSON.stringify(task.outcomes),
      task.updatedAt === undefined ? null : new Date(task.updatedAt),
      new Date(deadline),
      hasEnded(task) ? new Date(now) : null,
    ],
  );
}

/** Notes an attempt to send the request: accepted, or why not. */
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

function taskOf(row: Row): RunTask {
  const time = (name: string) => (row[name] as Date | null)?.getTime();
  const optional = <Key extends string, Value>(key: Key, value: Value | null | undefined) =>
    (value === null || value === undefined ? {} : { [key]: value }) as { [key in Key]?: Value };
  return {
    id: row['id'] as string,
    run: row['run'] as string,
    stage: row['stage'] as Stage,
    name: row['name'] as string,
    requestUrl: row['request_url'] as string,
    enforcement: row['enforcement'] as EnforcementLevel,
    status: row['status'] as TaskStatus,
    ...optional('message', row['message'] as string | null),
    ...optional('url', row['url'] as string | null),
    outcomes: row['outcomes'] as Outcome[],
    requestedAt: time('requested_at') ?? 0,
    ...optional('updatedAt', time('updated_at')),
    ...optional('acceptedAt', time('accepted_at')),
    attempts: row['attempts'] as number,
    ...optional('trouble', row['trouble'] as string | null),
    ...optional('endedAt', time('ended_at')),
  };
}
