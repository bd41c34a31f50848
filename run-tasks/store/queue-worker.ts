import { setTimeout as sleep } from 'node:timers/promises';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { grouped } from './grouped.ts';

/** Milliseconds between two statements, so that each is for many jobs while there are many. */
const pauseMs = 25;
/** Milliseconds to store a failure; the pause starts afterwards. */
const lookLaterMs = 100;

interface QueueWorkerArgs<Data> {
  boss: PgBoss;
  /** Of the queue, which exists. */
  name: string;
  handler: (data: Data) => Promise<void>;
  /** Jobs that run at the same time. */
  concurrency: number;
  /** Seconds without a heartbeat after which another process takes over a job. */
  heartbeatSeconds: number;
  onError: (error: Error) => void;
}

/**
 * Works on the jobs of one queue: takes as many at once as it has room for, runs each on its own, and completes those that
 * end together in one statement.
 */
export class QueueWorker<Data extends object> {
  readonly #args: QueueWorkerArgs<Data>;
  /** By job. */
  readonly #running = new Map<JobWithMetadata<Data>, Promise<void>>();
  readonly #complete: (job: JobWithMetadata<Data>) => Promise<void>;
  readonly #heartbeat: NodeJS.Timeout;
  #isLooking = false;
  #looked: Promise<void> = Promise.resolve();
  /** Whether there may be a job that no one has looked for. */
  #isWoken = false;
  #isStopped = false;

  constructor(args: QueueWorkerArgs<Data>) {
    this.#args = args;
    const { boss, name, heartbeatSeconds } = args;
    const complete = async (jobs: JobWithMetadata<Data>[]) => {
      await boss.complete(name, jobs);
      return [];
    };
    this.#complete = grouped(complete, { pauseMs });
    this.#heartbeat = setInterval(() => void this.#keep(), (heartbeatSeconds * 1000) / 2).unref();
  }

  /** Looks for jobs, now or as soon as there is room. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isLooking) this.#looked = this.#look();
  }

  /** Waits for the jobs in progress, up to a time in milliseconds, and hands back those that are not done by then. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    const over = new AbortController();
    const ended = this.#looked.then(() => Promise.allSettled(this.#running.values()));
    await Promise.race([ended, sleep(timeoutMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    clearInterval(this.#heartbeat);
    if (this.#running.size === 0) return;
    const { boss, name, onError } = this.#args;
    // Without a heartbeat, they are taken over all the same.
    await boss.fail(name, [...this.#running.keys()], { message: 'stopped' }).catch(onError);
  }

  async #look(): Promise<void> {
    const { boss, name, concurrency, onError } = this.#args;
    this.#isLooking = true;
    try {
      while (this.#isWoken && !this.#isStopped && this.#running.size < concurrency) {
        this.#isWoken = false;
        const batchSize = concurrency - this.#running.size;
        const jobs = await boss.fetch<Data>(name, { batchSize, includeMetadata: true });
        if (jobs.length === batchSize) this.#isWoken = true;
        // One that comes when it is stopped is only handed back.
        for (const job of jobs) this.#running.set(job, this.#isStopped ? Promise.resolve() : this.#run(job));
        await sleep(pauseMs, undefined, { ref: false });
      }
    } catch (error) {
      // It is looked for again at the next poll.
      onError(error as Error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #run(job: JobWithMetadata<Data>): Promise<void> {
    try {
      await this.#args.handler(job.data);
      await this.#complete(job);
    } catch (error) {
      await this.#fail(job, error as Error);
    }
    this.#running.delete(job);
    if (this.#isWoken) this.wake();
  }

  async #fail(job: JobWithMetadata<Data>, { message }: Error): Promise<void> {
    const { boss, name, onError } = this.#args;
    try {
      await boss.fail(name, job, { message });
    } catch (error) {
      // Without a heartbeat, it is taken over.
      return onError(error as Error);
    }
    // Nothing notifies of a retry. pg-boss waits for half of this time to all of it.
    const { retryDelay, retryDelayMax, retryCount } = job;
    const seconds = Math.min(retryDelayMax ?? Number.POSITIVE_INFINITY, retryDelay * 2 ** (retryCount + 1));
    setTimeout(() => this.wake(), seconds * 1000 + lookLaterMs).unref();
  }

  async #keep(): Promise<void> {
    const { boss, name, onError } = this.#args;
    if (this.#running.size > 0) await boss.touch(name, [...this.#running.keys()]).catch(onError);
  }
}
