import type { Sql } from './store/database.ts';

/** How many rows of a table have no end, by status: for a figure of the metrics. */
export async function openByStatus(sql: Sql, table: 'runs' | 'deliveries') {
  const rows = await sql.query(
    `SELECT status, count(*)::int AS count FROM ${table} WHERE ended_at IS NULL GROUP BY status`,
  );
  return rows.map((row) => ({
    labels: { status: row['status'] as string },
    value: row['count'] as number,
  }));
}
