import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatehouseError } from '@gatehouse/core/values';
import type { PlanToReview, ReviewedPlan } from './plan-review.ts';
import type { ReviewAnswer } from './review-worker.ts';

export interface PlanReviewerLimits {
  /** Milliseconds of one review. A plan of 50,000 resources takes half a minute. */
  reviewMs: number;
  /** MiB of the thread's heap: several times the largest plan. */
  heapMiB: number;
}

const defaultLimits: PlanReviewerLimits = { reviewMs: 120_000, heapMiB: 1024 };

/** Threads: one for small plans, and the others for all. More would hold up what else the machine does. */
const threads = Math.min(4, Math.max(2, availableParallelism()));
/** Bytes of a plan, and steps of one of an engine of ours, that are reviewed in less than a second. */
export const smallPlan = { bytes: 1024 * 1024, steps: 1000 };

interface WaitingReview {
  isSmall: boolean;
  review: (thread: ReviewThread) => Promise<void>;
}

/**
 * Reviews plans in threads, so that they never hold up the thread that answers requests, and that large ones never hold up
 * small ones: one thread is for small plans alone, and the others prefer the rest. In each, they come one after the other, in
 * the order in which they were asked for.
 */
export class PlanReviewer {
  readonly #all: readonly ReviewThread[];
  readonly #busy = new Set<ReviewThread>();
  #waiting: WaitingReview[] = [];

  /** @param program the threads' program, for tests */
  constructor(
    limits: Partial<PlanReviewerLimits> = {},
    program = new URL(`./review-worker${extname(import.meta.url)}`, import.meta.url),
  ) {
    this.#all = Array.from(
      { length: threads },
      (_, at) => new ReviewThread({ ...defaultLimits, ...limits }, program, at === 0),
    );
  }

  /**
   * @param signal ends the review
   * @throws GatehouseError `review_too_long`, `review_too_large`, `review_ended`, and what `reviewPlanned` throws
   */
  review(plan: PlanToReview, signal: AbortSignal): Promise<ReviewedPlan> {
    const { promise, resolve, reject } = Promise.withResolvers<ReviewedPlan>();
    const review = (thread: ReviewThread) => {
      const reviewed = thread.review(plan, signal).finally(() => this.#busy.delete(thread));
      return reviewed.then(resolve, reject);
    };
    this.#waiting.push({ isSmall: isSmall(plan), review });
    this.#goOn();
    return promise;
  }

  /** Ends the threads, and with them the reviews in progress. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close()));
  }

  #goOn(): void {
    // In the same order each time: what one thread has loaded, another need not.
    for (const thread of this.#all.filter((idle) => !this.#busy.has(idle))) {
      const next =
        (thread.isForSmall ? undefined : this.#waiting.find((waiting) => !waiting.isSmall)) ??
        this.#waiting.find((waiting) => waiting.isSmall);
      if (next === undefined) continue;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      this.#busy.add(thread);
      void next.review(thread).then(() => this.#goOn());
    }
  }
}

function isSmall({ plan }: PlanToReview): boolean {
  return plan instanceof Uint8Array ? plan.length <= smallPlan.bytes : plan.steps.length <= smallPlan.steps;
}

/**
 * A thread for one review at a time. It starts with the first one, has no environment variables, and is replaced after any
 * review that did not end well.
 */
class ReviewThread {
  readonly isForSmall: boolean;
  readonly #limits: PlanReviewerLimits;
  readonly #program: URL;
  #worker: Worker | undefined;

  constructor(limits: PlanReviewerLimits, program: URL, isForSmall: boolean) {
    this.#limits = limits;
    this.#program = program;
    this.isForSmall = isForSmall;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async review(plan: PlanToReview, signal: AbortSignal): Promise<ReviewedPlan> {
    signal.throwIfAborted();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<ReviewAnswer>();
    const onError = (error: unknown) => reject(threadError(error));
    const onExit = () => reject(reviewEnded());
    const onAbort = () => reject(signal.reason);
    const { reviewMs } = this.#limits;
    const late = setTimeout(() => reject(tooLong(reviewMs)), reviewMs);
    worker.once('message', resolve).once('error', onError).once('exit', onExit).ref();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      worker.postMessage(plan);
      const { reviewed, refused, failed } = await promise;
      if (reviewed !== undefined) return reviewed;
      throw refused === undefined ? (failed ?? reviewEnded()) : new GatehouseError(refused);
    } catch (error) {
      this.#worker = undefined;
      void worker.terminate();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', resolve).off('error', onError).off('exit', onExit).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Small young generations: a stream of plans takes a quarter less memory (packages/bench/README.md).
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMiB, maxYoungGenerationSizeMb: 12 },
    });
    // A thread may end while it waits for the next plan.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

function threadError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new GatehouseError('review_too_large');
}

function tooLong(limitMs: number): GatehouseError {
  return new GatehouseError('review_too_long', { allowed: `at most ${limitMs / 1000} seconds` });
}

function reviewEnded(): GatehouseError {
  return new GatehouseError('review_ended');
}
