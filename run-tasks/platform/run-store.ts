import type { PlannedChanges } from '../../core/run-task/run.ts';
import type { Sql } from '../store/database.ts';
import { changesOf, insert, recordOf, update } from '../store/record.ts';
import type { Decision, Run } from './run.ts';

/** All but the plan and its changes, which may be large. */
const columns = `id, stack, status, message, is_speculative, created_by, created_at, description, has_changes,
  plan_digest, gains, gained, apply_begun_at, has_applied, reason, ended_at, version`;

export async function insertRun(sql: Sql, run: Run): Promise<void> {
  await insert(sql, 'runs', run);
}

export async function readRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1`, [id]);
  return row && recordOf<Run>(row);
}

/** Locks the run until the transaction ends. A change of one of its tasks locks it first, too. */
export async function lockRun(sql: Sql, id: string): Promise<Run | undefined> {
  const [row] = await sql.query(`SELECT ${columns} FROM runs WHERE id = $1 FOR UPDATE`, [id]);
  return row && recordOf<Run>(row);
}

/** Newest first. */
export async function readRuns(
  sql: Sql,
  { stack, limit }: { stack?: string; limit: number },
): Promise<Run[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM runs WHERE $1::text IS NULL OR stack = $1 ORDER BY number DESC LIMIT $2`,
    [stack ?? null, limit],
  );
  return rows.map((row) => recordOf<Run>(row));
}

export async function readVersion(sql: Sql, id: string): Promise<number | undefined> {
  const [row] = await sql.query('SELECT version FROM runs WHERE id = $1', [id]);
  return row?.['version'] as number | undefined;
}

/** The run of the same stack that a run waits behind: the first in line. Undefined if it does not wait for its turn. */
export async function readAhead(sql: Sql, id: string): Promise<Pick<Run, 'id' | 'status'> | undefined> {
  const [row] = await sql.query(
    `SELECT ahead.id, ahead.status FROM runs JOIN runs AS ahead ON ahead.stack = runs.stack
     WHERE runs.id = $1 AND runs.status = 'pending' AND ahead.ended_at IS NULL AND ahead.number < runs.number
     ORDER BY ahead.number LIMIT 1`,
    [id],
  );
  return row as Pick<Run, 'id' | 'status'> | undefined;
}

export async function readPlan(sql: Sql, id: string): Promise<unknown> {
  const [row] = await sql.query('SELECT plan FROM runs WHERE id = $1', [id]);
  return row?.['plan'] ?? undefined;
}

/** What the plan of a run changes; undefined before there is one. */
export async function readChanges(sql: Sql, id: string): Promise<PlannedChanges | undefined> {
  const [row] = await sql.query('SELECT changes FROM runs WHERE id = $1', [id]);
  return (row?.['changes'] as PlannedChanges | null | undefined) ?? undefined;
}

/** The parts of a plan that lists of runs leave out, as they may be large. */
export interface StoredPlan {
  plan?: unknown;
  changes?: PlannedChanges;
}

/** The status comes first among what changes, the plan last. */
export async function updateRun(sql: Sql, before: Run, after: Run, { changes, plan }: StoredPlan) {
  const changed = changesOf(before, after, runChanges);
  const planned = plan === undefined ? {} : { plan: JSON.stringify(plan) };
  await update(sql, 'runs', after.id, { ...changed, changes, ...planned }, 'version = version + 1');
}

const runChanges = [
  ...(['status', 'description', 'hasChanges', 'planDigest', 'gains', 'gained', 'applyBegunAt'] as const),
  ...(['hasApplied', 'reason', 'endedAt'] as const),
];

export async function readDecisions(sql: Sql, run: string): Promise<Decision[]> {
  const rows = await sql.query(
    'SELECT kind, task, by, decided_at, reason, plan_digest FROM decisions WHERE run = $1 ORDER BY number',
    [run],
  );
  return rows.map((row) => recordOf<Decision>(row));
}

/** Prevents adding, starting or ending a run of the stack elsewhere until the transaction ends. */
export async function lockStack(sql: Sql, stack: string): Promise<void> {
  await sql.query('SELECT pg_advisory_xact_lock(4774002, hashtext($1))', [stack]);
}

/** The run of the stack that has waited longest; undefined while one is in progress. */
export async function nextInLine(sql: Sql, stack: string): Promise<string | undefined> {
  const [row] = await sql.query(
    `SELECT id FROM runs WHERE stack = $1 AND status = 'pending' AND NOT EXISTS
        (SELECT FROM runs WHERE stack = $1 AND status <> 'pending' AND ended_at IS NULL)
      ORDER BY number LIMIT 1`,
    [stack],
  );
  return row?.['id'] as string | undefined;
}
