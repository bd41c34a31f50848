import { setTimeout as sleep } from 'node:timers/promises';
import { isEnd } from '@gatehouse/core/run-task';
import type { Database } from '../store/database.ts';
import { readProgress, readWholeRun } from './run-store.ts';
import { runViewOf } from './run-view.ts';

/** Milliseconds between looks at the runs that are watched, which other processes may change. */
const lookEveryMs = 250;
/** Milliseconds of silence before a comment that keeps the connection alive. */
const aliveEveryMs = 15_000;
const alive = Buffer.from(': alive\n\n');

/** The state of a run at a look, for all its watchers. */
interface News {
  progress: string;
  event: Promise<{ bytes: Buffer; isLast: boolean }>;
}

interface Watcher {
  /** The progress that the watcher knows. */
  seen: string;
  since: number;
  /** Called with undefined if nothing has changed for long, or there will be no more news. */
  tell: (news: News | undefined) => void;
  fail: (error: unknown) => void;
}

/** News of runs. However many watch them, the store is asked once at each look, and each change is read once. */
export class RunNews {
  readonly #database: Database;
  readonly #stopping: AbortSignal;
  /** Watchers by run. */
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #known = new Map<string, News>();
  #isLooking = false;

  constructor(database: Database, stopping: AbortSignal) {
    this.#database = database;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => {
      for (const { tell } of this.#allWatchers()) tell(undefined);
    });
  }

  /**
   * A run as server-sent events: the whole run at once, and again after every change until it has ended. A client that
   * reconnects needs no memory. The stream ends early if the platform stops, or the run is deleted.
   */
  async *events(id: string): AsyncGenerator<Uint8Array> {
    for (let seen = ''; !this.#stopping.aborted; ) {
      const news = await this.#after(id, seen);
      if (this.#stopping.aborted) return;
      if (news === undefined) {
        yield alive;
        continue;
      }
      seen = news.progress;
      const { bytes, isLast } = await news.event;
      yield bytes;
      if (isLast) return;
    }
  }

  /** News of a run that differ from the progress a watcher has seen. */
  #after(id: string, seen: string): Promise<News | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined && known.progress !== seen) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<News | undefined>();
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add({ seen, since: Date.now(), tell: resolve, fail: reject }));
    if (!this.#isLooking) void this.#keepLooking();
    return promise;
  }

  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    while (this.#watchers.size > 0 && !this.#stopping.aborted) {
      try {
        await this.#look();
      } catch (error) {
        for (const { fail } of this.#allWatchers()) fail(error);
        this.#watchers.clear();
      }
      await sleep(lookEveryMs);
    }
    this.#known.clear();
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const progressOfRuns = await readProgress(this.#database, [...this.#watchers.keys()]);
    for (const id of this.#known.keys()) if (!this.#watchers.has(id)) this.#known.delete(id);
    for (const [id, watchers] of this.#watchers) {
      const progress = JSON.stringify(progressOfRuns.get(id) ?? 'deleted');
      if (this.#known.get(id)?.progress !== progress) {
        const event = this.#eventOf(id);
        // Watchers get the failure; without watchers, no one would handle it.
        event.catch(() => {});
        this.#known.set(id, { progress, event });
      }
      this.#tell(id, watchers);
    }
  }

  #tell(id: string, watchers: Set<Watcher>): void {
    const news = this.#known.get(id);
    const longAgo = Date.now() - aliveEveryMs;
    for (const watcher of watchers) {
      const isNews = news?.progress !== watcher.seen;
      if (!isNews && watcher.since > longAgo) continue;
      watchers.delete(watcher);
      watcher.tell(isNews ? news : undefined);
    }
    if (watchers.size === 0) this.#watchers.delete(id);
  }

  async #eventOf(id: string): Promise<{ bytes: Buffer; isLast: boolean }> {
    const run = await readWholeRun(this.#database, id);
    if (run === undefined) return { bytes: alive, isLast: true };
    const data = JSON.stringify(runViewOf(run));
    return {
      bytes: Buffer.from(`event: run\nid: ${run.version}\ndata: ${data}\n\n`),
      isLast: isEnd(run.status),
    };
  }

  #allWatchers(): Watcher[] {
    return [...this.#watchers.values()].flatMap((watchers) => [...watchers]);
  }
}
