import type { Database } from './database.ts';

/**
 * Work that is under way once at a time, in all processes on one database. The lock is that of an open transaction:
 * it goes with its process, however that ends, and no clock decides that somebody is gone.
 */
export class Exclusive {
  readonly #database: Database;
  readonly #held = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws Error where the same work is under way already: it is for a job that is tried again later */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#held.has(name)) throw new Error(`${name} is under way in this process`);
    this.#held.add(name);
    try {
      // A database of this process's own has one transaction at a time: one held open would hold everything up.
      if (!this.#database.isShared) return await work();
      await this.#database.transaction(async (sql) => {
        const [row] = await sql.query('SELECT pg_try_advisory_xact_lock(4774003, hashtext($1)) AS locked', [
          name,
        ]);
        if (row?.['locked'] !== true) throw new Error(`${name} is under way in another process`);
        await work();
      });
    } finally {
      this.#held.delete(name);
    }
  }
}
