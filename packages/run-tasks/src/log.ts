import { Metrics } from '@gatehouse/host';
import type { FastifyBaseLogger } from 'fastify';
import { stdSerializers } from 'pino';
import type { Sql } from './store/database.ts';

/** The structured log of the run tasks. It never contains a token. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export const silent: Log = { info() {}, warn() {}, error() {} };

/** The loggable fields of an error. Errors of a database also hold rows and values, which may include a token. */
export function loggedError(error: Error): object {
  const { type, code, message, stack } = stdSerializers.err(error);
  return { type, code, message, stack };
}

// Reexported for operations, which does not import web (docs/inside/architecture.md).
export { Metrics };

/** Adds a gauge of the rows of a table that have not ended, by status. */
export function gaugeOpen(metrics: Metrics, sql: Sql, table: 'runs' | 'deliveries', what: string): void {
  const help = `${what} without an end, by status.`;
  metrics.gauge(`gatehouse_${table}_open`, help, ['status'], async function () {
    const rows = await sql.query(
      `SELECT status, count(*)::int AS count FROM ${table} WHERE ended_at IS NULL GROUP BY status`,
    );
    this.reset();
    for (const { status, count } of rows) this.set({ status: status as string }, count as number);
  });
}
