import type { listedReview, Stored } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import type { z } from 'zod';
import type { Sql } from '../store/database.ts';
import { insert, recordOf } from '../store/record.ts';
import type { Decision, Run } from './run.ts';
import { lockStack } from './run-store.ts';
import type { GivenToken, StatedReview, Work } from './work.ts';

/** A stored review: its signed statement, and what became of it. */
interface StoredReview extends Stored<z.output<typeof listedReview>>, StatedReview {
  stack: string;
}

export async function keepReview(sql: Sql, review: Omit<StoredReview, 'number'>): Promise<void> {
  await insert(sql, 'reviews', review);
}

/**
 * Updates the stored review of a run after a change of the run: the review names who accepted a task that did not pass, and
 * it can no longer be exchanged once an apply begins.
 */
export async function followRun(
  sql: Sql,
  before: Run,
  after: Run,
  {
    decisions,
    work,
    now,
  }: { decisions: readonly Decision[]; work: Pick<Work, 'acceptedReview'>; now: number },
): Promise<void> {
  const { id } = after;
  for (const { kind, task = '', by, reason = '' } of decisions) {
    if (kind !== 'accepted') continue;
    const [review] = await sql.query('SELECT statement FROM reviews WHERE run = $1', [id]);
    const [taskResult] = await sql.query('SELECT name FROM task_results WHERE id = $1', [task]);
    if (review === undefined) continue;
    const accepted = {
      by,
      task: String(taskResult?.['name'] ?? task),
      because: reason,
      at: new Date(now).toISOString(),
    };
    const statement = await work.acceptedReview(String(review['statement']), accepted);
    await sql.query('UPDATE reviews SET statement = $2 WHERE run = $1', [id, statement]);
  }
  if (after.applyStartedAt !== undefined && before.applyStartedAt === undefined) {
    // Like an exchange for a token, an apply lets the change in once.
    await lockStack(sql, after.stack);
    await sql.query('UPDATE reviews SET taken_at = $2, taken_by = $3 WHERE run = $1', [
      id,
      new Date(after.applyStartedAt),
      after.createdBy,
    ]);
  }
  if (after.hasApplied && !before.hasApplied) {
    await sql.query('UPDATE reviews SET applied_at = $2 WHERE run = $1', [id, new Date(now)]);
  }
}

/** When a token was last given for a change of a stack, or a run began to apply it: milliseconds since 1970. */
export async function readSpent(sql: Sql, stack: string, digest: string): Promise<number | undefined> {
  const [row] = await sql.query(
    'SELECT max(taken_at) AS taken_at FROM reviews WHERE stack = $1 AND digest = $2',
    [stack, digest],
  );
  return row && recordOf<{ takenAt?: number }>(row).takenAt;
}

/**
 * Keeps the reviews that a token was made for.
 *
 * @param spentAt what `readSpent` returned before the reviews were checked
 * @throws GatehouseError `review_missing.spent` if the change was let in meanwhile
 */
export async function spendReviews(
  sql: Sql,
  stack: string,
  { change, reviews }: GivenToken,
  { spentAt, by, now }: { spentAt: number | undefined; by: string; now: number },
): Promise<void> {
  await lockStack(sql, stack);
  if ((await readSpent(sql, stack, change)) !== spentAt) throw new GatehouseError('review_missing.spent');
  for (const review of reviews) {
    await keepReview(sql, { stack, ...review, takenAt: now, takenBy: by });
  }
}

/** Statuses in which the review of a run is listed: a run that a task or a person stopped deploys nowhere else. */
const letIn = ['planned_and_finished', 'applying', 'post_apply', 'applied'];

/**
 * Reviews of a stack, the newest first.
 *
 * @param before number of a review; only older reviews are returned
 */
export async function readReviews(
  sql: Sql,
  { stack, before, limit }: { stack: string; before?: number | undefined; limit: number },
): Promise<StoredReview[]> {
  const rows = await sql.query(
    `SELECT number, stack, run, digest, statement, taken_at, taken_by, applied_at FROM reviews
      WHERE stack = $1 AND ($2::bigint IS NULL OR number < $2)
        AND (run IS NULL OR EXISTS (SELECT FROM runs WHERE runs.id = reviews.run AND runs.status = ANY($4)))
      ORDER BY number DESC LIMIT $3`,
    [stack, before ?? null, limit, letIn],
  );
  return rows.map((row) => ({ ...recordOf<StoredReview>(row), number: Number(row['number']) }));
}
