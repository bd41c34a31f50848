import { GatehouseError } from '@gatehouse/core/values';
import { type Log, Metrics, silent } from '../log.ts';
import { orAborted } from '../outbound/outbound.ts';
import { repeat } from '../repeat.ts';
import type { Database } from '../store/database.ts';
import type { Notices } from './notices.ts';
import type { Claim, WatchStore } from './watch-store.ts';
import type { WatchReading } from './watched-stack.ts';

export interface WatchArgs {
  database: Pick<Database, 'isShared'>;
  store: WatchStore;
  /** The stacks of this process's checkout, as `project/stack`. Called regularly. */
  listStacks: () => Promise<string[]>;
  /**
   * Compares a stack with its service, until the signal ends it.
   *
   * @throws GatehouseError why it cannot be read
   */
  readStack: (id: string, signal: AbortSignal) => Promise<WatchReading>;
  /** The earlier reading that a failed one is compared with. */
  comparedWith: () => Promise<string>;
  /** Milliseconds between two readings of a stack. */
  everyMs: number;
  /** Milliseconds after which a reading fails. Defaults to two minutes. */
  timeLimitMs?: number;
  /** Readings of this process at a time: of stacks that could be read the last time, and of others. Defaults to 4 and 2. */
  lanes?: { reading: number; failing: number };
  /** Defaults to none. */
  notices?: Notices;
  log?: Log;
  metrics?: Metrics;
  random?: () => number;
}

/** Milliseconds between looks for stacks that are due. Each look also extends the claims of readings in progress. */
const lookMs = 2_000;
/** Milliseconds without such a look after which another process takes over the stacks. */
const leaseMs = 15_000;
/** Milliseconds between looks at the checkout. */
const listMs = 30_000;
/** A reading that crashed its process this many times in a row fails, instead of starting again. */
const mostStarted = 3;
const notLookedAt = 'watched stacks could not be looked at';

/**
 * Reads stacks on a schedule, together with other processes on the same store. A stack is read by one process that has it in
 * its checkout; if that process dies, another one reads it. Stacks that could not be read have a lane of their own, so that
 * services that do not answer hold up no other stack. docs/adr/0026-watched-stacks-are-claimed.md
 */
export class Watch {
  readonly #args: Required<Omit<WatchArgs, 'notices' | 'metrics'>> & Pick<WatchArgs, 'notices'>;
  readonly #reading = new Map<string, { ending: AbortController; isFailing: boolean; done: Promise<void> }>();
  #ids: readonly string[] = [];
  #listedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #isAgain = false;
  #isStopping = false;
  #stop = async () => {};
  readonly #onEnd: (outcome: string) => void;

  constructor(args: WatchArgs) {
    const { metrics = new Metrics() } = args;
    const lanes = { reading: 4, failing: 2 };
    this.#args = { timeLimitMs: 120_000, lanes, log: silent, random: Math.random, ...args };
    const help = 'Readings of watched stacks, by outcome.';
    const ended = metrics.counter('gatehouse_watch_readings_total', help, ['outcome']);
    this.#onEnd = (outcome) => ended.inc({ outcome });
  }

  /** Starts to read. The queue must have been started. */
  async start(): Promise<void> {
    const { database, store, notices, log } = this.#args;
    await notices?.start();
    if (!database.isShared) await store.release();
    this.#stop = repeat(() => this.look(), lookMs, log, notLookedAt);
  }

  /** Ends the readings in progress: other processes take their stacks. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#stop();
    await this.#looking?.catch(() => {});
    const claims = [...this.#reading.keys()];
    const readings = [...this.#reading.values()];
    for (const { ending } of readings) ending.abort(new Error('the watch stops'));
    await Promise.all(readings.map(({ done }) => done));
    if (claims.length > 0) await this.#args.store.release(claims);
  }

  /** Begins readings that are due, up to the width of the lanes. Public for tests, which have their own clock. */
  async look(): Promise<void> {
    this.#isAgain = true;
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    while (this.#isAgain) {
      this.#isAgain = false;
      await this.#list();
      await this.#keep();
      const { reading, failing } = this.#args.lanes;
      await this.#fill(false, reading);
      await this.#fill(true, failing);
    }
  }

  async #list(): Promise<void> {
    const { listStacks, store, log } = this.#args;
    if (performance.now() < this.#listedAt + listMs) return;
    try {
      this.#ids = await listStacks();
    } catch (err) {
      // Known stacks are still read, and their readings report the problem.
      log.error({ err }, 'the checkout could not be read');
    }
    await store.list(this.#ids);
    this.#listedAt = performance.now();
  }

  async #keep(): Promise<void> {
    if (this.#reading.size === 0) return;
    const kept = await this.#args.store.keep([...this.#reading.keys()], leaseMs);
    for (const [claim, { ending }] of this.#reading) {
      if (!kept.has(claim)) ending.abort(new Error('another process took over the stack'));
    }
  }

  async #fill(isFailing: boolean, width: number): Promise<void> {
    const { store, everyMs } = this.#args;
    const busy = [...this.#reading.values()].filter((reading) => reading.isFailing === isFailing).length;
    if (this.#isStopping || busy >= width) return;
    const claims = await store.claim(this.#ids, { isFailing, limit: width - busy, leaseMs, everyMs });
    for (const claim of claims) {
      const ending = new AbortController();
      const done = this.#read(claim, ending)
        .catch((err) => this.#args.log.error({ err, stack: claim.id }, 'a reading could not be stored'))
        .finally(() => {
          this.#reading.delete(claim.claim);
          this.#goOn();
        });
      this.#reading.set(claim.claim, { ending, isFailing, done });
    }
  }

  #goOn(): void {
    if (this.#isStopping) return;
    this.look().catch((err) => this.#args.log.error({ err }, notLookedAt));
  }

  async #read(claim: Claim, ending: AbortController): Promise<void> {
    const { readStack, comparedWith, store, everyMs, timeLimitMs, notices, random, log } = this.#args;
    const { id } = claim;
    const isCrashing = claim.started > mostStarted;
    const late = new GatehouseError('reading_too_slow', {
      values: { seconds: Math.round(timeLimitMs / 1000) },
    });
    const timer = setTimeout(() => ending.abort(late), timeLimitMs);
    let reading: WatchReading;
    try {
      if (isCrashing) throw crashing;
      reading = await orAborted(readStack(id, ending.signal), ending.signal);
    } catch (error) {
      const reason: unknown = ending.signal.aborted ? ending.signal.reason : error;
      // Another process has taken over the stack, or will.
      if (ending.signal.aborted && reason !== late) return;
      if (!(reason instanceof GatehouseError))
        log.error({ err: reason, stack: id }, 'a stack could not be read');
      reading = failedReading(reason, await comparedWith());
    } finally {
      clearTimeout(timer);
    }
    const isKept = await store.finish(claim, reading, {
      // A random part of the pause spreads out readings that began together.
      pauseMs: everyMs * (0.9 + 0.1 * random()),
      started: isCrashing ? mostStarted - 1 : 0,
      tell: async (sql, notice) => notices?.add(sql, { ...notice, stack: id }),
    });
    if (isKept) this.#onEnd(reading.outcome);
  }
}

const crashing = new GatehouseError('reading_crashed', { values: { times: mostStarted } });

function failedReading(reason: unknown, comparedWith: string): WatchReading {
  const [summary, problem] =
    reason instanceof GatehouseError
      ? [reason.code, reason.message]
      : ['internal_error', 'Internal error: the log of the process says more.'];
  return { outcome: 'failed', summary, problem, findings: [], unread: 'all', comparedWith };
}
