import type { Database, Sql } from '../store/database.ts';
import { changesOf, insert, recordOf, update } from '../store/record.ts';
import {
  afterReading,
  type Notice,
  type WatchedChange,
  type WatchedState,
  type WatchReading,
} from './watched-stack.ts';

/** A stack that one process reads, and no other meanwhile. */
export interface Claim {
  id: string;
  claim: string;
  /** Readings started since the last one that ended, including this one. */
  started: number;
}

export interface WatchedStack extends WatchedState {
  /** `project/stack` */
  id: string;
  listedAt: number;
  nextAt: number;
  /** The database's clock. */
  now: number;
  /** The last run of the stack that was reviewed. */
  reviewId?: string;
  reviewedAt?: number;
}

const stateColumns = `outcome, summary, problem, compared_with, since_at, read_at, seen_at, drift_at, failures,
  is_notified, notices, access, findings`;
const worstFinding =
  'CASE WHEN json_array_length(findings) > 0 THEN json_build_array(findings->0) ELSE findings END';
/** Changes that a page shows. */
const mostShown = 100;
/** Changes that are kept of a stack. */
const mostKept = 1000;

/**
 * Watched stacks and the processes that read them, in rows that processes share. All instants are the database's, so the
 * clocks of processes may differ.
 */
export class WatchStore {
  readonly #database: Database;
  readonly #now: () => Date | null;

  /** @param clock for tests: milliseconds since 1970. Defaults to the database's clock. */
  constructor(database: Database, clock?: () => number) {
    this.#database = database;
    this.#now = () => (clock === undefined ? null : new Date(clock()));
  }

  /** Records that these stacks are in a checkout. New stacks are due at once. */
  async list(ids: readonly string[]): Promise<void> {
    const values = [ids.toSorted(), this.#now()];
    await this.#database.query(
      `INSERT INTO watched_stacks (id, listed_at, next_at)
       SELECT id, coalesce($2::timestamptz, now()), coalesce($2::timestamptz, now()) FROM unnest($1::text[]) AS id
       ON CONFLICT DO NOTHING`,
      values,
    );
    // A locked row is updated with the next list. Processes that wait for several rows could wait for each other.
    await this.#database.query(
      `UPDATE watched_stacks SET listed_at = coalesce($2::timestamptz, now()) WHERE id IN
         (SELECT id FROM watched_stacks WHERE id = ANY($1::text[]) FOR UPDATE SKIP LOCKED)`,
      values,
    );
  }

  /**
   * Takes up to `limit` of these stacks that are due and that no living process reads, the longest due first.
   *
   * @param options.everyMs a stack is due after this, too: an earlier process may have had a longer pause
   */
  async claim(
    ids: readonly string[],
    {
      isFailing,
      limit,
      leaseMs,
      everyMs,
    }: { isFailing: boolean; limit: number; leaseMs: number; everyMs: number },
  ): Promise<Claim[]> {
    const rows = await this.#database.query(
      `UPDATE watched_stacks SET claim = gen_random_uuid(), started = started + 1,
         claimed_until = coalesce($4::timestamptz, now()) + $5 * interval '1 millisecond'
       WHERE id IN (SELECT id FROM watched_stacks WHERE id = ANY($1::text[]) AND (failures > 0) = $2
         AND (next_at <= coalesce($4::timestamptz, now())
           OR read_at <= coalesce($4::timestamptz, now()) - $6 * interval '1 millisecond')
         AND (claim IS NULL OR claimed_until <= coalesce($4::timestamptz, now()))
         ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING id, claim, started`,
      [ids, isFailing, limit, this.#now(), leaseMs, everyMs],
    );
    return rows.map((row) => recordOf<Claim>(row));
  }

  /** Extends claims whose readings go on. @returns the claims that still exist */
  async keep(claims: readonly string[], leaseMs: number): Promise<Set<string>> {
    const rows = await this.#database.query(
      `UPDATE watched_stacks SET claimed_until = coalesce($2::timestamptz, now()) + $3 * interval '1 millisecond'
       WHERE claim = ANY($1::uuid[]) RETURNING claim`,
      [claims, this.#now(), leaseMs],
    );
    return new Set(rows.map(({ claim }) => String(claim)));
  }

  /** Gives stacks back unread. Without claims it gives back all, which is for a store that no other process uses. */
  async release(claims?: readonly string[]): Promise<void> {
    await this.#database.query(
      `UPDATE watched_stacks SET claim = NULL, started = CASE WHEN $1::uuid[] IS NULL THEN started ELSE 0 END
       WHERE claim IS NOT NULL AND ($1::uuid[] IS NULL OR claim = ANY($1::uuid[]))`,
      [claims ?? null],
    );
  }

  /**
   * Stores a reading, unless another process has taken over the stack meanwhile.
   *
   * @param tell sends the notice, in the transaction
   */
  async finish(
    { id, claim }: Claim,
    reading: WatchReading,
    {
      pauseMs,
      started,
      tell,
    }: {
      pauseMs: number;
      started: number;
      tell: (sql: Sql, notice: Notice & { number: number }) => Promise<void>;
    },
  ): Promise<boolean> {
    return await this.#database.transaction(async (sql) => {
      const [row] = await sql.query(
        `SELECT ${stateColumns}, coalesce($3::timestamptz, now()) AS now FROM watched_stacks
         WHERE id = $1 AND claim = $2 FOR UPDATE`,
        [id, claim, this.#now()],
      );
      if (row === undefined) return false;
      const { now: at, ...before } = recordOf<WatchedState & { now: number }>(row);
      const { after, change, notice } = afterReading(before, reading, at);
      const changed = changesOf(before, withEqualParts(before, after));
      await update(sql, 'watched_stacks', id, {
        ...changed,
        claim: null,
        started,
        nextAt: at + pauseMs,
      });
      if (change !== undefined) {
        await insert(sql, 'watched_changes', { stack: id, ...change });
        await sql.query(
          `DELETE FROM watched_changes WHERE stack = $1 AND number <=
             (SELECT number FROM watched_changes WHERE stack = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`,
          [id, mostKept],
        );
      }
      if (notice !== undefined) await tell(sql, { ...notice, number: after.notices });
      return true;
    });
  }

  /** The number of notices about a stack; undefined for an unknown stack. */
  async notices(id: string): Promise<number | undefined> {
    const [row] = await this.#database.query('SELECT notices FROM watched_stacks WHERE id = $1', [id]);
    return row?.['notices'] as number | undefined;
  }

  /** One stack, or all by name, these with their worst finding alone. */
  async read(id?: string): Promise<WatchedStack[]> {
    const columns =
      id === undefined ? stateColumns.replace('findings', `${worstFinding} AS findings`) : stateColumns;
    const rows = await this.#database.query(
      `SELECT id, listed_at, next_at, coalesce($2::timestamptz, now()) AS now, ${columns}, review_id, reviewed_at
       FROM watched_stacks LEFT JOIN (
         SELECT DISTINCT ON (description->>'workspaceId') description->>'workspaceId' AS workspace, runs.id AS review_id,
           created_at AS reviewed_at
         FROM runs WHERE gains IS NOT NULL ORDER BY description->>'workspaceId', number DESC
       ) AS reviews ON workspace = watched_stacks.id
       WHERE $1::text IS NULL OR id = $1 ORDER BY id`,
      [id ?? null, this.#now()],
    );
    return rows.map((row) => recordOf<WatchedStack>(row));
  }

  /** Changes of a stack, the newest first. */
  async changes(id: string): Promise<WatchedChange[]> {
    const rows = await this.#database.query(
      `SELECT changed_at, outcome, summary, compared_with, appeared, gone FROM watched_changes
       WHERE stack = $1 ORDER BY number DESC LIMIT $2`,
      [id, mostShown],
    );
    return rows.map((row) => recordOf<WatchedChange>(row));
  }
}

/** The later state, with the parts of the earlier one that are equal: these are not written again. */
function withEqualParts(before: WatchedState, after: WatchedState): WatchedState {
  const isSame = (part: 'findings' | 'access') =>
    JSON.stringify(before[part]) === JSON.stringify(after[part]);
  return {
    ...after,
    findings: isSame('findings') ? before.findings : after.findings,
    access: isSame('access') ? before.access : after.access,
  };
}
