import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Figure, figure } from './figure.ts';
import { largePlan } from './large-plan.ts';
import { type ServerProcess, startServer } from './processes.ts';
import type { LoadResult, LoadStep } from './run-task-load.ts';
import { type BenchDatabase, RunTaskPlatform, startGatehouseServe } from './run-task-services.ts';

export interface ArrivalOptions {
  /** The first rate, in requests a second, which the figures for normal load are for. Defaults to 100. */
  rate?: number;
  /** Seconds of each step. Defaults to 1.5. */
  seconds?: number;
  /** Most rates to try on each side. Defaults to 10. */
  steps?: number;
}

/** Of each body. */
const bytes = 10_240;
/** Limit of p99, in milliseconds. */
const limitMs = 50;
/** Seconds before each step that do not count, to finish earlier reviews. */
const leadIn = 0.5;
/** A rate is missed after so many failures; one may be caused by the machine. */
const tries = 2;

interface Side {
  server: ServerProcess;
  url: string;
  search: RateSearch;
  /** At the first rate. */
  ordinary: LoadResult;
  /** At the highest rate held. */
  highest: LoadResult | undefined;
}

/**
 * Requests of 10 KB from arrival to durable 200, in turn by `gatehouse serve`, which also reviews and calls back, and
 * by a bare server, which only stores them. The other server is paused.
 */
export async function arrival(
  database: BenchDatabase,
  { rate = 100, seconds = 1.5, steps = 10 }: ArrivalOptions,
): Promise<{ figures: Figure[]; held: number }> {
  const platform = await RunTaskPlatform.open(JSON.stringify(largePlan(10)));
  const load = fork(fileURLToPath(new URL('run-task-load.ts', import.meta.url)));
  const servers: ServerProcess[] = [];
  let stepsTaken = 0;
  const step = async (url: string, at: number): Promise<LoadResult> => {
    stepsTaken += 1;
    const prefix = `bench-${stepsTaken}`;
    return await tell(load, { url, origin: platform.origin, rate: at, seconds, leadIn, bytes, prefix });
  };
  const sideOf = async (server: ServerProcess, url: string): Promise<Side> => {
    servers.push(server);
    await step(url, rate);
    const ordinary = await step(url, rate);
    server.pause();
    return { server, url, search: new RateSearch(rate), ordinary, highest: undefined };
  };
  try {
    const bareServer = await startBare(database);
    const bare = await sideOf(bareServer, bareServer.address);
    const gatehouse = await startGatehouseServe(await database.newStore(), platform.origin, {
      withPlatform: false,
    });
    const served = await sideOf(gatehouse, gatehouse.endpoint);
    for (let round = 0; round < steps; round += 1) {
      for (const side of round % 2 === 0 ? [served, bare] : [bare, served]) await tryNext(side, step);
    }
    const figures = figuresOf(database.name, served, bare, platform.finals);
    return { figures, held: served.search.held };
  } finally {
    for (const server of servers) await server.close();
    load.kill();
    await platform.close();
  }
}

async function tryNext(side: Side, step: (url: string, rate: number) => Promise<LoadResult>): Promise<void> {
  const rate = side.search.next();
  if (rate === undefined) return;
  side.server.resume();
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const result = await step(side.url, rate);
    const isHeld = result.failed === 0 && result.p99 < limitMs;
    if (isHeld) side.highest = result;
    if (isHeld || attempt === tries) side.search.tell(rate, isHeld);
    if (isHeld) break;
  }
  side.server.pause();
}

async function startBare(database: BenchDatabase): Promise<ServerProcess> {
  const { url = '', home } = await database.newStore();
  const program = fileURLToPath(new URL('bare-run-task-server.ts', import.meta.url));
  return await startServer([program, url, home]);
}

export async function tell(load: ChildProcess, step: LoadStep): Promise<LoadResult> {
  const ending = new AbortController();
  const end = () => ending.abort(new Error('the load generator ended'));
  load.once('exit', end);
  load.send(step);
  try {
    const [result] = await once(load, 'message', { signal: ending.signal });
    return result;
  } finally {
    load.off('exit', end);
  }
}

function figuresOf(name: string, served: Side, bare: Side, finals: number): Figure[] {
  const ratio = served.search.held / bare.search.held;
  const times = (what: string, { p50, p99 }: LoadResult) => [
    figure(`  p50, ${what}`, p50, ' ms'),
    figure(`  p99, ${what}`, p99, ' ms'),
  ];
  return [
    figure(`${name}, highest rate with p99 under ${limitMs} ms`, served.search.held, ' /s'),
    figure('  the same of the bare server', bare.search.held, ' /s'),
    { what: '  of it', measured: ratio.toFixed(2), aim: 'at least 0.5', met: ratio >= 0.5 },
    ...(served.highest === undefined ? [] : times('at that rate', served.highest)),
    ...(bare.highest === undefined ? [] : times('at its rate, bare server', bare.highest)),
    ...times('at the first rate', served.ordinary),
    ...times('at the first rate, bare server', bare.ordinary),
    figure('  reviewed and called back meanwhile', finals, ''),
  ];
}

/** The search ends when the lowest missed rate is within this factor of the highest held one. */
const precision = 1.08;

/** Finds the highest rate that is held: doubles it until it is missed, then bisects. */
export class RateSearch {
  readonly #first: number;
  #held = 0;
  #missed = Number.POSITIVE_INFINITY;

  constructor(first: number) {
    this.#first = first;
  }

  /** The next rate to try; undefined at the end. */
  next(): number | undefined {
    if (this.#missed === Number.POSITIVE_INFINITY) return this.#held === 0 ? this.#first : this.#held * 2;
    if (this.#held === 0) return this.#missed <= 1 ? undefined : Math.floor(this.#missed / 2);
    const middle = Math.round(Math.sqrt(this.#held * this.#missed));
    return this.#missed / this.#held <= precision || middle === this.#held || middle === this.#missed
      ? undefined
      : middle;
  }

  tell(rate: number, isHeld: boolean): void {
    if (isHeld) this.#held = Math.max(this.#held, rate);
    else this.#missed = Math.min(this.#missed, rate);
  }

  /** The highest rate that was held, or 0. */
  get held(): number {
    return this.#held;
  }
}
