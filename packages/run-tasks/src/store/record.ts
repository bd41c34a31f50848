import type { DatabaseRow, Sql } from './database.ts';

// Converts records of the code to rows of the database and back: `createdAt` is the column `created_at`. Times (`deadline`,
// and names that end in `At`) are milliseconds since 1970 in a record and `timestamptz` in a row. Undefined is null.

/** The record of a row; columns that are null are left out. */
export function recordOf<Of>(row: DatabaseRow): Of {
  const filled = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    filled.map(([column, value]) => [fieldOf(column), value instanceof Date ? value.getTime() : value]),
  ) as Of;
}

export function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export async function insert(sql: Sql, table: string, record: object): Promise<void> {
  const columns = columnsOf(record);
  const names = columns.map(([name]) => name).join(', ');
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  await sql.query(
    `INSERT INTO ${table} (${names}) VALUES (${places})`,
    columns.map(([, value]) => value),
  );
}

/** Changes the columns of a row to the fields of a record. @param further more changes, in SQL */
export async function update(
  sql: Sql,
  table: string,
  id: string,
  record: object,
  ...further: string[]
): Promise<void> {
  const columns = columnsOf(record);
  const changes = [...columns.map(([name], index) => `${name} = $${index + 2}`), ...further];
  await sql.query(`UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`, [
    id,
    ...columns.map(([, value]) => value),
  ]);
}

/** The fields that differ; null for those that are no longer set. */
export function changesOf(before: object, after: object): Record<string, unknown> {
  const fieldsBefore = before as Record<string, unknown>;
  const fieldsAfter = after as Record<string, unknown>;
  const names = Object.keys({ ...fieldsBefore, ...fieldsAfter });
  const changed = names.filter((name) => fieldsBefore[name] !== fieldsAfter[name]);
  return Object.fromEntries(changed.map((name) => [name, fieldsAfter[name] ?? null]));
}

function columnsOf(record: object): [name: string, value: unknown][] {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      /At$|^deadline$/.test(name)
        ? value && new Date(value)
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : value,
    ]);
}
