import { RunStatus } from '../../core/run-task/run.ts';
import type { Log } from '../log.ts';
import type { Database, Sql } from '../store/database.ts';

/** Lines that are kept of a run. Those of a larger apply that come later are left out. */
export const mostLogLines = 1000;

interface ApplyLogArgs {
  run: string;
  database: Database;
  log: Log;
}

/** Stores what an apply does, line by line, as it comes. It never holds up or fails the apply. */
export class ApplyLog {
  readonly #args: ApplyLogArgs;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;

  constructor(args: ApplyLogArgs) {
    this.#args = args;
  }

  add(line: string): void {
    this.#waiting.push(line);
    this.#writing ??= this.#write();
  }

  /** Resolves once all lines so far are stored. */
  async stored(): Promise<void> {
    await this.#writing;
  }

  /** Lines that come while others are written are written together, next. */
  async #write(): Promise<void> {
    const { run, database, log } = this.#args;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      await database
        .transaction((sql) => append(sql, run, lines))
        .catch((err: Error) => log.error({ err, run }, 'the log of an apply could not be stored'));
    }
    this.#writing = undefined;
  }
}

/** Locks the run first, like every change of something below it. A run that no longer applies keeps the log it has. */
async function append(sql: Sql, run: string, lines: readonly string[]): Promise<void> {
  const applying = await sql.query(
    'UPDATE runs SET version = version + 1 WHERE id = $1 AND status = $2 RETURNING id',
    [run, RunStatus.applying],
  );
  if (applying.length === 0) return;
  await sql.query(
    `INSERT INTO apply_log (run, line) SELECT $1, line FROM unnest($2::text[]) WITH ORDINALITY AS given (line, place)
      ORDER BY place LIMIT greatest(0, $3::int - (SELECT count(*) FROM apply_log WHERE run = $1))`,
    [run, lines, mostLogLines],
  );
}

/** Oldest first. */
export async function readApplyLog(sql: Sql, run: string): Promise<string[]> {
  const rows = await sql.query('SELECT line FROM apply_log WHERE run = $1 ORDER BY number', [run]);
  return rows.map(({ line }) => line as string);
}
