import { createHash, randomBytes } from 'node:crypto';
import type { PlannedChanges } from '@gatehouse/core/run-task';
import type { Sql } from '../store/database.ts';
import { changesOf, recordOf, update } from '../store/record.ts';
import { readApplyLog } from './apply-log.ts';
import type { Decision, Run, RunTask, RunWithTasks, Verification } from './run.ts';
import type { StatedReview } from './work.ts';

/** All columns except the plan and its changes, which may be large. */
const columns = `id, stack, status, message, is_speculative, created_by, created_at, description, has_changes,
  plan_digest, gains, life, gate, gained, lost, summary, apply_started_at, has_applied, reason, ended_at, version,
  allows_uncommitted, status_times`;

export async function readRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1`, [id]);
  return row && recordOf<Run>(row);
}

/** Locks the run until the transaction ends. A change of one of its tasks locks it first, too. */
export async function lockRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1 FOR UPDATE`, [id]);
  return row && recordOf<Run>(row);
}

/** Which runs to list: those that match all properties that are set. */
export interface RunFilter {
  stack?: string;
  statuses?: readonly string[];
  /** Part of a name or text of the run. */
  search?: string;
  limit: number;
}

export async function readRuns(sql: Sql, { stack, statuses, search, limit }: RunFilter): Promise<Run[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM runs WHERE ($1::text IS NULL OR stack = $1) AND ($2::text[] IS NULL OR status = ANY($2))
      AND ($3::text IS NULL OR strpos(lower(concat_ws(' ', id, stack, message, summary, created_by,
        substring(description::text from '"commitMessage":"((?:[^"\\\\]|\\\\.)*)"'))), lower($3)) > 0)
      ORDER BY number DESC LIMIT $4`,
    [stack ?? null, statuses ?? null, search ?? null, limit],
  );
  return rows.map((row) => recordOf<Run>(row));
}

/** The progress of a run for its watchers: its version, which grows with every change, and the run that it waits behind. */
export interface RunProgress extends Pick<Run, 'version'> {
  /** Before the run's turn, the first in line of the same stack. */
  ahead?: Pick<Run, 'id' | 'status'>;
}

export async function readProgress(sql: Sql, ids: readonly string[]): Promise<Map<string, RunProgress>> {
  const rows = await sql.query(
    `SELECT DISTINCT ON (runs.id) runs.id AS run, runs.version, ahead.id, ahead.status
       FROM runs LEFT JOIN runs AS ahead
       ON ahead.stack = runs.stack AND runs.status = 'pending' AND NOT (runs.is_speculative OR ahead.is_speculative)
       AND ahead.ended_at IS NULL AND ahead.number < runs.number
     WHERE runs.id = ANY($1) ORDER BY runs.id, ahead.number`,
    [ids],
  );
  return new Map(
    rows.map((row) => {
      const { run, version, ...ahead } = row as { run: string; version: number } & Pick<Run, 'id' | 'status'>;
      return [run, { version, ...(ahead.id && { ahead }) }];
    }),
  );
}

export async function readPlan(sql: Sql, id: string): Promise<unknown> {
  const [row] = await sql.query('SELECT plan FROM runs WHERE id = $1', [id]);
  return row?.['plan'] ?? undefined;
}

/** A run with all that belongs to it; undefined if there is none. */
export async function readWholeRun(sql: Sql, id: string): Promise<RunWithTasks | undefined> {
  const [row] = await sql.query(`SELECT ${columns}, changes FROM runs WHERE id = $1`, [id]);
  if (row === undefined) return undefined;
  const run = recordOf<Run & Pick<RunWithTasks, 'changes'>>(row);
  const verifications = await sql.query(
    'SELECT name, verified_at, trouble FROM verifications WHERE stack = $1 ORDER BY name',
    [run.stack],
  );
  const { ahead } = (await readProgress(sql, [id])).get(id) ?? {};
  return {
    ...run,
    ...(ahead && { ahead }),
    applyLog: await readApplyLog(sql, id),
    tasks: await readTasks(sql, id),
    decisions: await readDecisions(sql, id),
    verifications: verifications.map((verification) => recordOf<Verification>(verification)),
  };
}

/** The parts of a plan that lists of runs leave out, as they may be large. */
export interface StoredPlan {
  plan?: unknown;
  changes?: PlannedChanges;
  review?: StatedReview;
}

export async function updateRun(
  sql: Sql,
  before: Run,
  after: Run,
  { changes, plan }: Omit<StoredPlan, 'review'>,
) {
  const planned = plan === undefined ? {} : { plan: JSON.stringify(plan) };
  const changed = { ...changesOf(before, after), changes, ...planned };
  await update(sql, 'runs', after.id, changed, 'version = version + 1');
}

export async function readDecisions(sql: Sql, run: string): Promise<Decision[]> {
  const rows = await sql.query(
    'SELECT kind, task, by, entity, decided_at, reason, plan_digest FROM decisions WHERE run = $1 ORDER BY number',
    [run],
  );
  return rows.map((row) => recordOf<Decision>(row));
}

/** Prevents adding, starting or ending a run of the stack elsewhere until the transaction ends. */
export async function lockStack(sql: Sql, stack: string): Promise<void> {
  await sql.query('SELECT pg_advisory_xact_lock(4774002, hashtext($1))', [stack]);
}

/** Whether a pending run may begin. A run that only plans takes no turns. */
export async function isTurnOf(sql: Sql, run: Run): Promise<boolean> {
  return run.isSpeculative || (await nextInLine(sql, run.stack)) === run.id;
}

/** The run of the stack that has waited longest; undefined while a run is in progress. Runs that only plan do not count. */
export async function nextInLine(sql: Sql, stack: string): Promise<string | undefined> {
  const [row] = await sql.query(
    `SELECT id FROM runs WHERE stack = $1 AND status = 'pending' AND NOT is_speculative AND NOT EXISTS
        (SELECT FROM runs WHERE stack = $1 AND status <> 'pending' AND ended_at IS NULL AND NOT is_speculative)
      ORDER BY number LIMIT 1`,
    [stack],
  );
  return row?.['id'] as string | undefined;
}

export async function readTask(sql: Sql, id: string): Promise<RunTask | undefined> {
  const [row] = await sql.query('SELECT * FROM task_results WHERE id = $1', [id]);
  return row && recordOf<RunTask>(row);
}

/** The tasks of a run, by stage and declaration; a retried task comes before its replacement. */
export async function readTasks(sql: Sql, run: string): Promise<RunTask[]> {
  const order = 'requested_at, position, superseded_at';
  const rows = await sql.query(`SELECT * FROM task_results WHERE run = $1 ORDER BY ${order}`, [run]);
  return rows.map((row) => recordOf<RunTask>(row));
}

/** Runs with overdue tasks: without a final status, and without time left. */
export async function readOverdueRuns(sql: Sql, now: number, limit: number): Promise<string[]> {
  const rows = await sql.query(
    `SELECT run FROM task_results WHERE ended_at IS NULL AND deadline <= $1
      GROUP BY run ORDER BY min(deadline) LIMIT $2`,
    [new Date(now), limit],
  );
  return rows.map(({ run }) => run as string);
}

export async function updateTask(sql: Sql, before: RunTask, after: RunTask, deadline: number): Promise<void> {
  await update(sql, 'task_results', after.id, { ...changesOf(before, after), deadline });
}

/**
 * Issues an access token for a task result, and stores its hash. Each attempt to send a request uses a new token; the
 * earlier ones stay valid, as one of them may have arrived although the answer was lost.
 */
export async function issueToken(sql: Sql, taskResult: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await sql.query('INSERT INTO access_tokens (hash, task_result) VALUES ($1, $2)', [hash(token), taskResult]);
  return token;
}

export async function taskResultOf(sql: Sql, token: string): Promise<string | undefined> {
  const [row] = await sql.query('SELECT task_result FROM access_tokens WHERE hash = $1', [hash(token)]);
  return row?.['task_result'] as string | undefined;
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
