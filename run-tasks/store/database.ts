import type { PgBoss } from 'pg-boss';

/** A row as PostgreSQL answers it: `jsonb` is parsed, `timestamptz` is a Date, `bigint` a text. */
export type Row = Record<string, unknown>;

/** Something that statements can be sent to: the database itself, or one transaction. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<Row[]>;
}

/**
 * The store of the run tasks: PostgreSQL, or PGlite in a folder of this process. The code above does not know which. State
 * and the jobs that it causes are written in one transaction (`Queue.send` takes the transaction).
 */
export interface Database extends Sql {
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Made for this database, and not started yet. */
  newBoss(): PgBoss;
  /** Whether other processes may work on it at the same time. */
  isShared: boolean;
  close(): Promise<void>;
}
