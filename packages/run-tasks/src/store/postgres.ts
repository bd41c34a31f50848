import { GatehouseError } from '@gatehouse/core/values';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';

/** Connections of one process, not counting those of the queue. */
const mostConnections = 10;
const connectTimeoutMs = 10_000;
/** Seconds between checks for jobs of a dead process: few, because a task has only ten minutes. */
const takeOverSeconds = 5;

/**
 * Opens a PostgreSQL database, which several processes may share.
 *
 * @param url `postgres://user:password@host:port/database`; with parameters of libpq such as `sslmode`
 * @throws GatehouseError `database_unreachable`
 */
export async function openPostgres(url: string): Promise<Database> {
  const pool = await connectedPool(url);
  let transactions = 0;
  return {
    isShared: true,
    query: async (text, values) => (await pool.query(text, values)).rows,
    async transaction(work) {
      const connection = await pool.connect();
      transactions += 1;
      try {
        return await inTransaction(connection, work);
      } finally {
        transactions -= 1;
      }
    },
    newBoss: () =>
      new PgBoss({
        connectionString: url,
        max: 4,
        useListenNotify: true,
        schedule: false,
        superviseIntervalSeconds: takeOverSeconds,
        monitorIntervalSeconds: takeOverSeconds,
      }),
    async close() {
      const ended = pool.end();
      // Work handed back to the queue keeps its lock until this process ends, so that no other starts it before.
      if (transactions === 0) await ended;
    },
  };
}

/** @throws GatehouseError `database_unreachable` */
async function connectedPool(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'gatehouse',
  });
  // A connection lost while idle is replaced when needed; a connection lost in use fails its query.
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  try {
    await pool.query('SELECT 1');
    return pool;
  } catch (cause) {
    await pool.end();
    throw new GatehouseError('database_unreachable', {
      allowed: 'postgres://user:password@host:5432/database',
      cause,
      values: { reason: (cause as Error).message },
    });
  }
}

/** Does work in a transaction, then gives the connection back to its pool. */
async function inTransaction<Result>(
  connection: pg.PoolClient,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  try {
    await connection.query('BEGIN');
    const sql: Sql = { query: async (text, values) => (await connection.query(text, values)).rows };
    const result = await work(sql);
    await connection.query('COMMIT');
    connection.release();
    return result;
  } catch (error) {
    // If the rollback fails, the connection is discarded, and the server rolls back.
    const failure = await connection.query('ROLLBACK').then(
      () => undefined,
      (problem: Error) => problem,
    );
    connection.release(failure);
    throw error;
  }
}
