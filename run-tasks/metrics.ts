import { Metrics } from '../web/metrics.ts';
import type { Sql } from './store/database.ts';

// For operations, which does not import web (docs/architecture.md).
export { Metrics };

/** Adds a gauge of the rows of a table that have not ended, by status. */
export function gaugeOpen(
  metrics: Metrics,
  name: string,
  help: string,
  sql: Sql,
  table: 'runs' | 'deliveries',
): void {
  metrics.gauge(name, help, ['status'], async function () {
    const rows = await sql.query(
      `SELECT status, count(*)::int AS count FROM ${table} WHERE ended_at IS NULL GROUP BY status`,
    );
    this.reset();
    for (const { status, count } of rows) this.set({ status: status as string }, count as number);
  });
}
