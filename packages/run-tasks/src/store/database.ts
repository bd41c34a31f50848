import type { PgBoss } from 'pg-boss';

/** A row of PostgreSQL: `jsonb` is parsed, `timestamptz` is a Date, `bigint` is a string. */
export type DatabaseRow = Record<string, unknown>;

/** Runs statements: the database itself, or one transaction. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<DatabaseRow[]>;
}

/**
 * The store of the run tasks: PostgreSQL, or PGlite in a folder of this process. State and the jobs that it causes are
 * written in one transaction (`Queue.send` takes the transaction).
 */
export interface Database extends Sql {
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** A job queue on this database, not started yet. */
  newBoss(): PgBoss;
  /** Whether other processes may use it at the same time. */
  isShared: boolean;
  close(): Promise<void>;
}
