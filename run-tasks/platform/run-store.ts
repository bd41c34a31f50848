import type { Row, Sql } from '../store/database.ts';
import type { Run, RunStatus } from './run.ts';
import type { RunDescription } from './work.ts';

const columns = `id, stack, status, message, is_speculative, created_by, created_at, description, has_changes,
  apply_begun_at, has_applied, reason, ended_at, version`;

export async function insertRun(sql: Sql, run: Run): Promise<void> {
  await sql.query(
    `INSERT INTO runs (id, stack, status, message, is_speculative, created_by, created_at, description)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
    [
      run.id,
      run.stack,
      run.status,
      run.message,
      run.isSpeculative,
      run.createdBy,
      new Date(run.createdAt),
      JSON.stringify(run.description),
    ],
  );
}

export async function readRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1`, [id]);
  return row && runOf(row);
}

/** The run, which nobody else changes until the transaction ends. Whoever changes a task of it locks it first, too. */
export async function lockRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1 FOR UPDATE`, [id]);
  return row && runOf(row);
}

/** The newest runs first. */
export async function readRuns(
  sql: Sql,
  { stack, limit }: { stack?: string; limit: number },
): Promise<Run[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM runs WHERE $1::text IS NULL OR stack = $1 ORDER BY number DESC LIMIT $2`,
    [stack ?? null, limit],
  );
  return rows.map(runOf);
}

export async function readVersion(sql: Sql, id: string): Promise<number | undefined> {
  const [row] = await sql.query('SELECT version FROM runs WHERE id = $1', [id]);
  return row?.['version'] as number | undefined;
}

export async function readPlan(sql: Sql, id: string): Promise<unknown> {
  const [row] = await sql.query('SELECT plan FROM runs WHERE id = $1', [id]);
  return row?.['plan'] ?? undefined;
}

/** What may change of a run, beside its status. */
export interface RunChange {
  description?: RunDescription;
  plan?: { json: unknown; hasChanges: boolean };
  applyBegunAt?: number;
  hasApplied?: boolean;
  reason?: string;
  endedAt?: number;
}

export async function updateRun(
  sql: Sql,
  id: string,
  status: RunStatus,
  { description, plan, applyBegunAt, hasApplied, reason, endedAt }: RunChange,
): Promise<void> {
  await sql.query(
    `UPDATE runs SET status = $2, version = version + 1,
        description = coalesce($3::jsonb, description),
        plan = coalesce($4::jsonb, plan),
        has_changes = coalesce($5, has_changes),
        apply_begun_at = coalesce($6, apply_begun_at),
        has_applied = coalesce($7, has_applied),
        reason = coalesce($8, reason),
        ended_at = coalesce($9, ended_at)
      WHERE id = $1`,
    [
      id,
      status,
      description === undefined ? null : JSON.stringify(description),
      plan === undefined ? null : JSON.stringify(plan.json),
      plan?.hasChanges ?? null,
      applyBegunAt === undefined ? null : new Date(applyBegunAt),
      hasApplied ?? null,
      reason ?? null,
      endedAt === undefined ? null : new Date(endedAt),
    ],
  );
}

/** Tells watchers of the run that something of it changed. */
export async function touchRun(sql: Sql, id: string): Promise<void> {
  await sql.query('UPDATE runs SET version = version + 1 WHERE id = $1', [id]);
}

/** Keeps others from adding, starting or ending a run of the stack until the transaction ends. */
export async function lockStack(sql: Sql, stack: string): Promise<void> {
  await sql.query('SELECT pg_advisory_xact_lock(4774002, hashtext($1))', [stack]);
}

/** The run of the stack that waits the longest; none while one is at work. */
export async function nextInLine(sql: Sql, stack: string): Promise<string | undefined> {
  const [row] = await sql.query(
    `SELECT id FROM runs WHERE stack = $1 AND status = 'pending' AND NOT EXISTS
        (SELECT FROM runs WHERE stack = $1 AND status <> 'pending' AND ended_at IS NULL)
      ORDER BY number LIMIT 1`,
    [stack],
  );
  return row?.['id'] as string | undefined;
}

function runOf(row: Row): Run {
  const time = (name: string) => (row[name] as Date | null)?.getTime();
  const applyBegunAt = time('apply_begun_at');
  const endedAt = time('ended_at');
  return {
    id: row['id'] as string,
    stack: row['stack'] as string,
    status: row['status'] as RunStatus,
    message: row['message'] as string,
    isSpeculative: row['is_speculative'] as boolean,
    createdBy: row['created_by'] as string,
    createdAt: time('created_at') ?? 0,
    description: row['description'] as RunDescription,
    ...(row['has_changes'] === null ? {} : { hasChanges: row['has_changes'] as boolean }),
    ...(applyBegunAt === undefined ? {} : { applyBegunAt }),
    hasApplied: row['has_applied'] as boolean,
    ...(row['reason'] === null ? {} : { reason: row['reason'] as string }),
    ...(endedAt === undefined ? {} : { endedAt }),
    version: row['version'] as number,
  };
}
