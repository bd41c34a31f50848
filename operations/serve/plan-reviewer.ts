import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { PlanToReview, ReviewedPlan } from './plan-review.ts';
import type { ReviewAnswer } from './review-worker.ts';

export interface PlanReviewerLimits {
  /** Milliseconds of one review. A plan of 50,000 resources takes half a minute. */
  reviewMs: number;
  /** MiB of the thread's heap: several times the largest plan. */
  heapMiB: number;
}

const defaultLimits: PlanReviewerLimits = { reviewMs: 120_000, heapMiB: 1024 };

/**
 * Reviews plans in a thread, one after the other, so that they never hold up the thread that answers requests. The thread
 * starts with the first review, has no environment variables, and is replaced after any review that did not end well.
 */
export class PlanReviewer {
  readonly #limits: PlanReviewerLimits;
  readonly #program: URL;
  #worker: Worker | undefined;
  /** Settles after the last review that was asked for. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param program the thread's program, for tests */
  constructor(
    limits: Partial<PlanReviewerLimits> = {},
    program = new URL(`./review-worker${extname(import.meta.url)}`, import.meta.url),
  ) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#program = program;
  }

  /**
   * @param signal ends the review
   * @throws GatehouseError `review_too_long`, `review_too_large`, `review_ended`, and what `reviewPlanned` throws
   */
  review(asked: PlanToReview, signal: AbortSignal): Promise<ReviewedPlan> {
    const reviewed = this.#last.then(() => this.#run(asked, signal));
    this.#last = reviewed.catch(() => {});
    return reviewed;
  }

  /** Ends the thread, and with it the review in progress. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #run(asked: PlanToReview, signal: AbortSignal): Promise<ReviewedPlan> {
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
      worker.postMessage(asked);
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
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMiB },
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
  return new GatehouseError({
    code: 'review_too_large',
    what: 'the review of the plan takes more memory than it may',
    fix: 'Split the stack or workspace, or plan only what bears on sign-in (--target, -target).',
  });
}

function tooLong(limitMs: number): GatehouseError {
  return new GatehouseError({
    code: 'review_too_long',
    what: 'the review of the plan takes longer than it may',
    allowed: `at most ${limitMs / 1000} seconds`,
    fix: 'Split the stack or workspace, or plan only what bears on sign-in (--target, -target).',
  });
}

function reviewEnded(): GatehouseError {
  return new GatehouseError({
    code: 'review_ended',
    what: 'the thread of the review ended before it had a result',
    fix: 'Ask for the review again. If it ends again, report the plan.',
  });
}
