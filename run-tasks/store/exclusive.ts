import type { Database } from './database.ts';

/**
 * Runs each piece of work only once at a time, across all processes on one database. The lock belongs to an open
 * transaction: it ends with its process, however that ends, and does not depend on clocks.
 */
export class Exclusive {
  readonly #database: Database;
  readonly #held = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws Error if the same work is in progress already, so that the job is retried later */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#held.has(name)) throw new Error(`${name} is in progress in this process`);
    this.#held.add(name);
    try {
      // A database that is not shared has one transaction at a time: an open one would block everything.
      if (!this.#database.isShared) return await work();
      await this.#database.transaction(async (sql) => {
        const [row] = await sql.query('SELECT pg_try_advisory_xact_lock(4774003, hashtext($1)) AS locked', [
          name,
        ]);
        if (row?.['locked'] !== true) throw new Error(`${name} is in progress in another process`);
        await work();
      });
    } finally {
      this.#held.delete(name);
    }
  }
}
