import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatehouseError } from '@gatehouse/core/values';
import { openSqliteFile, type SqliteFileKind } from '@gatehouse/host/sqlite-file';
import pLimit from 'p-limit';
import { fromPglite, PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';
import type { PgliteCall, PgliteMethods, PgliteNews } from './pglite-thread.ts';

/** PGlite does not lock its folder, and two processes would damage it. */
const lockFile: SqliteFileKind = {
  // "GtLk"
  applicationId: 0x47744c6b,
  formatVersion: 1,
  schema: '',
  locked: (path, cause) => new GatehouseError('database_locked', { where: path, cause }),
  newer: (path) => unusable(path, 'it was made by a newer Gatehouse'),
  unwritable: unusable,
  damaged: unusable,
};

/**
 * Opens PostgreSQL in WebAssembly on a folder, for this process alone, in a thread of its own. It does not flush to disk: a
 * killed process loses nothing, but a power cut may lose or damage the last writes.
 *
 * @throws GatehouseError `database_locked`, `database_unusable`
 */
export async function openPglite(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = openSqliteFile(join(folder, 'lock.sqlite'), lockFile);
  const thread = new PgliteThread(join(folder, 'pglite'));
  try {
    await thread.opened;
  } catch (cause) {
    await thread.end();
    lock.close();
    throw unusable(folder, (cause as Error).message, cause);
  }
  // There is one session, so nothing else may run while a transaction is open.
  const inTurn = pLimit(1);
  const query: Sql['query'] = async (text, values) => (await thread.call('query', text, values)).rows;
  const boss = fromPglite({
    // The cast to `never` lets pg-boss choose the types of its rows.
    query: (text, values) => inTurn(() => thread.call('query', text, values) as Promise<never>),
    exec: (text) => inTurn(() => thread.call('exec', text)),
    listen: (channel: string, onNews: (payload: string) => void) => thread.listen(channel, onNews),
  });
  return {
    isShared: false,
    query: (text, values) => inTurn(() => query(text, values)),
    transaction: (work) =>
      inTurn(async () => {
        await query('BEGIN');
        try {
          const result = await work({ query });
          await query('COMMIT');
          return result;
        } catch (error) {
          await query('ROLLBACK');
          throw error;
        }
      }),
    newBoss: () => new PgBoss({ db: boss, backend: 'pglite', useListenNotify: true, schedule: false }),
    async close() {
      await inTurn(() => thread.call('close'));
      await thread.end();
      lock.close();
    },
  };
}

class PgliteThread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (payload: string) => void>();
  #last = 0;
  /** Why the thread ended. */
  #failure: unknown;

  constructor(data: string) {
    const program = new URL(`./pglite-thread${extname(import.meta.url)}`, import.meta.url);
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    // The thread keeps hardly any objects, so this saves a tenth of the memory (packages/bench/README.md).
    const resourceLimits = { maxYoungGenerationSizeMb: 12 };
    this.#worker = new Worker(program, { workerData: data, env: {}, execArgv, resourceLimits });
    this.#worker.on('message', (news: PgliteNews) => this.#take(news));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of the database ended')));
    this.opened = this.#answerTo(0);
  }

  call<Method extends keyof PgliteMethods>(
    method: Method,
    ...args: Parameters<PgliteMethods[Method]>
  ): ReturnType<PgliteMethods[Method]> {
    this.#last += 1;
    const answer = this.#answerTo(this.#last);
    this.#worker.postMessage({ id: this.#last, method, args } satisfies PgliteCall);
    return answer as ReturnType<PgliteMethods[Method]>;
  }

  async listen(channel: string, onNews: (payload: string) => void): Promise<() => Promise<void>> {
    this.#listeners.set(channel, onNews);
    await this.call('listen', channel);
    return async () => void this.#listeners.delete(channel);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #answerTo(id: number): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    if (this.#failure === undefined) this.#calls.set(id, answer);
    else answer.reject(this.#failure);
    return answer.promise;
  }

  #take(news: PgliteNews): void {
    if ('channel' in news) {
      this.#listeners.get(news.channel)?.(news.payload);
      return;
    }
    const call = this.#calls.get(news.id);
    this.#calls.delete(news.id);
    if ('result' in news) call?.resolve(news.result);
    else call?.reject(Object.assign(new Error(news.error.message), news.error.fields));
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}

function unusable(path: string, what: string, cause?: unknown): GatehouseError {
  return new GatehouseError('database_unusable', { where: path, cause, values: { reason: what } });
}
