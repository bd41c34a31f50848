import type { Database, DatabaseRow, Sql } from '../src/store/database.ts';

/** Where a process ends itself with SIGKILL. */
export interface FatalStatement {
  /** Regular expression over a statement and, as JSON, its values. */
  statement: string;
  moment: 'before' | 'after' | 'before commit' | 'after commit';
}

/** A database that ends its process at a statement, the how-manieth time it comes by: nothing after it is done. */
export function dyingDatabase(opened: Database, fatal: FatalStatement | undefined, count = 1): Database {
  if (fatal === undefined) return opened;
  const { statement, moment } = fatal;
  const isFatal = new RegExp(statement, 's');
  let left = count;
  const strike = (when: string, text: string) => {
    if (moment !== when || !isFatal.test(text)) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const dying = (sql: Sql, texts: string[] = []): Sql => ({
    async query(text: string, values?: unknown[]): Promise<DatabaseRow[]> {
      const whole = `${text} ${JSON.stringify(values)}`;
      texts.push(whole);
      strike('before', whole);
      const rows = await sql.query(text, values);
      strike('after', whole);
      return rows;
    },
  });
  return {
    ...dying(opened),
    isShared: opened.isShared,
    newBoss: () => opened.newBoss(),
    close: () => opened.close(),
    async transaction(work) {
      const texts: string[] = [];
      const result = await opened.transaction(async (sql) => {
        const done = await work(dying(sql, texts));
        strike('before commit', texts.join('\n'));
        return done;
      });
      strike('after commit', texts.join('\n'));
      return result;
    },
  };
}
