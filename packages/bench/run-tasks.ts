import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../run-tasks/store/open-database.ts';
import { type Bench, ending, type Figure, figure, inTurn, percentile } from './frame.ts';
import type { LoadResult } from './load.ts';
import { cpuSeconds, residentMegabytes } from './processes.ts';
import { makeScratch } from './project.ts';
import {
  type BenchDatabase,
  type Integrator,
  openDatabases,
  type Platform,
  type Sent,
  type Store,
  startBare,
  startPlatform,
  startServe,
} from './run-task-servers.ts';

/** Limit of p99, in milliseconds. */
const limitMs = 50;
/** Requests a second at which a burst begins; the figures for normal load are for it. */
const firstRate = 100;
/** A rate is missed after so many failures; one may be caused by the machine. */
const tries = 2;

/** Run tasks: the rate of requests, the time to their results, and the cost of waiting. Small sizes make all of it small. */
export const runTasks: Bench = async ({ n = 10_000, rounds = 10, seconds = 300, rate }, atEnd) => {
  const databases = await openDatabases(atEnd, await makeScratch(atEnd));
  const figures: Figure[] = [];
  for (const database of databases) {
    const { held, ...burst } = await burstOn(database, Math.min(1.5, seconds), rounds);
    const half = Math.max(1, Math.round(held / 2));
    const short = { seconds: Math.min(10, seconds), keepsUp: true };
    figures.push(
      ...burst.figures,
      ...(await stream(database, { ...short, resources: Math.min(5000, n), rate: 10, keepsUp: false })),
      ...(await stream(database, { ...short, resources: Math.min(500, n), rate: 6 })),
      ...(await stream(database, { ...short, resources: 10, rate: rate ?? half, seconds })),
      ...(await idle(database, n, Math.min(5, seconds))),
    );
  }
  const skipped = { what: 'PostgreSQL', measured: 'skipped: no server of it is installed' };
  return databases.length === 1 ? [...figures, skipped] : figures;
};

/** A server whose highest rate is looked for. */
interface Side {
  server: Integrator;
  search: Generator<number, void, boolean>;
  next: IteratorResult<number, void>;
  held: number;
  /** At the first rate, and at the highest rate held. */
  ordinary: LoadResult;
  highest?: LoadResult;
}

/**
 * Requests of 10 KB from arrival to durable 200, in turn by `gatehouse serve`, which also reviews and calls back, and
 * by a bare server, which only stores them. The other server is paused.
 */
function burstOn(database: BenchDatabase, seconds: number, steps: number) {
  return ending(async (atEnd) => {
    const platform = await startPlatform(atEnd, 10);
    // Earlier reviews end in what leads in.
    const step = (server: Integrator, rate: number) =>
      platform.send(server.url, { rate, seconds, leadIn: seconds / 3 });
    const sideOf = async (server: Integrator): Promise<Side> => {
      await step(server, firstRate);
      const ordinary = await step(server, firstRate);
      server.signal('SIGSTOP');
      const search = searchedRates(firstRate);
      return { server, search, next: search.next(), held: 0, ordinary };
    };
    const tryNext = async (side: Side): Promise<void> => {
      if (side.next.done) return;
      const rate = side.next.value;
      side.server.signal('SIGCONT');
      for (let attempt = 1; attempt <= tries && side.held < rate; attempt += 1) {
        const result = await step(side.server, rate);
        if (result.failed === 0 && result.p99 < limitMs) Object.assign(side, { held: rate, highest: result });
      }
      side.server.signal('SIGSTOP');
      side.next = side.search.next(side.held === rate);
    };
    const bare = await sideOf(await startBare(atEnd, await database.newStore()));
    const served = await sideOf(await startServe(atEnd, await database.newStore(), platform.origin));
    await inTurn(steps, { served: () => tryNext(served), bare: () => tryNext(bare) });
    const ratio = served.held / bare.held;
    const times = (what: string, result?: LoadResult) =>
      result === undefined
        ? []
        : [figure(`  p50, ${what}`, result.p50, ' ms'), figure(`  p99, ${what}`, result.p99, ' ms')];
    const figures = [
      figure(`${database.name}, highest rate with p99 under ${limitMs} ms`, served.held, ' /s'),
      figure('  the same of the bare server', bare.held, ' /s'),
      { what: '  of it', measured: ratio.toFixed(2), aim: 'at least 0.5', isMet: ratio >= 0.5 },
      ...times('at that rate', served.highest),
      ...times('at its rate, bare server', bare.highest),
      ...times('at the first rate', served.ordinary),
      ...times('at the first rate, bare server', bare.ordinary),
      figure('  reviewed and called back meanwhile', platform.finals.size),
    ];
    return { figures, held: served.held };
  });
}

/**
 * Looks for the highest rate that is held: doubles it until it is missed, then bisects, until the lowest that is missed
 * is within 8 % of it. Yields rates; takes whether each is held.
 */
export function* searchedRates(first: number): Generator<number, void, boolean> {
  let [held, missed] = [0, Number.POSITIVE_INFINITY];
  for (let rate = first; rate >= 1 && rate !== held && rate !== missed; ) {
    if (yield rate) held = rate;
    else missed = rate;
    if (missed / held <= 1.08) return;
    if (missed === Number.POSITIVE_INFINITY) rate = held * 2;
    else rate = held === 0 ? Math.floor(missed / 2) : Math.round(Math.sqrt(held * missed));
  }
}

interface Stream {
  /** Of each plan. */
  resources: number;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Whether reviews must keep up, as they can with small plans. */
  keepsUp: boolean;
}

/** A stream of requests: how fast they are answered, when their final callbacks come, and what memory that takes. */
function stream(database: BenchDatabase, { resources, rate, seconds, keepsUp }: Stream): Promise<Figure[]> {
  return ending(async (atEnd) => {
    const { origin, send, finals } = await startPlatform(atEnd, resources);
    const { url, pid } = await startServe(atEnd, await database.newStore(), origin);
    // The requests of a step are all in memory.
    const step = { rate, seconds: Math.min(5, seconds) };
    const warmUp = await send(url, step);
    const [before, memory] = [finals.size, residentMegabytes(pid)];
    const steps: Sent[] = [];
    for (let at = 0; at < seconds; at += step.seconds) steps.push(await send(url, step));
    const total = (what: 'sent' | 'failed') => steps.reduce((sum, one) => sum + one[what], 0);
    const behind = Math.max(0, total('sent') - (finals.size - before)) / rate;
    const memoryAfter = residentMegabytes(pid);
    while (keepsUp && finals.size < warmUp.sent + total('sent') - total('failed')) await sleep(10);
    const timesOf = ({ prefix, begun, sent }: Sent) =>
      Array.from({ length: sent }, (_, at) => {
        return (finals.get(`${prefix}-${at}`) ?? Number.POSITIVE_INFINITY) - begun - (at * 1000) / rate;
      });
    const times = steps.flatMap(timesOf);
    const callbacks = [
      figure('  from request to final callback, p50', percentile(times, 0.5), ' ms'),
      figure('  … p99', percentile(times, 0.99), ' ms'),
    ];
    return [
      figure(`${database.name}, ${seconds} s at ${rate} /s, plans of ${resources}: requests`, total('sent')),
      figure('  failed', total('failed')),
      figure('  p99 of the worst 5 s', Math.max(...steps.map(({ p99 }) => p99)), ' ms', limitMs),
      figure('  seconds of it that reviews are behind', behind, ' s', keepsUp ? 20 : undefined),
      ...(keepsUp ? callbacks : []),
      figure('  resident memory at its beginning', memory, ' MB'),
      figure('  … at its end', memoryAfter, ' MB'),
    ];
  });
}

/** The cost of `gatehouse serve` while it waits for callbacks and plans, by the number of runs and of deliveries. */
async function idle(database: BenchDatabase, most: number, seconds: number): Promise<Figure[]> {
  const costOf = (open: number) =>
    ending(async (atEnd) => {
      const store = await database.newStore();
      const platform = await startPlatform(atEnd, 0);
      await storeOpenWork(store, open, platform);
      const { pid } = await startServe(atEnd, store, platform.origin, both);
      await sleep(Math.min(3, seconds) * 1000);
      const before = cpuSeconds(pid);
      await sleep(seconds * 1000);
      return { cpu: ((cpuSeconds(pid) - before) * 1000) / seconds, memory: residentMegabytes(pid) };
    });
  const first = await costOf(0);
  const figuresOf = (open: number, { cpu, memory }: typeof first) => [
    figure(`${database.name}, ${open} open, CPU`, cpu, ' ms/s'),
    figure('  resident memory', memory, ' MB'),
  ];
  const some = await costOf(Math.ceil(most / 10));
  const last = await costOf(most);
  return [
    ...[...figuresOf(0, first), ...figuresOf(Math.ceil(most / 10), some), ...figuresOf(most, last)],
    figure('  CPU, most against none', last.cpu - first.cpu, ' ms/s more', 10),
    figure('  memory, most against none', last.memory / first.memory, '', 1.1),
  ];
}

const both = 'integrator and platform';

/** Leaves so many requests without a result, and as many runs whose task has not called back, in a store. */
async function storeOpenWork(store: Store, count: number, platform: Platform): Promise<void> {
  await ending(async (atEnd) => {
    const { url } = await startServe(atEnd, store, platform.origin, both);
    const rate = 500;
    for (let at = 0; at < count; at += rate * 5) {
      await platform.send(url, { rate, seconds: Math.min(5, (count - at) / rate) });
    }
  });
  const { query, close } = await openDatabase(store.url, store.home);
  const description = {
    ...{
      organizationName: 'bench',
      workspaceId: 'ws',
      workspaceName: 'bench',
      workspaceWorkingDirectory: '',
    },
    ...{ configurationVersionId: '', vcsBranch: null, vcsCommitUrl: null, vcsPullRequestUrl: null },
    ...{ vcsRepoUrl: null, tasks: [{ name: 'bench', url: 'http://127.0.0.1:9/', stages: ['pre_plan'] }] },
  };
  await query(
    `INSERT INTO runs (id, stack, status, message, is_speculative, created_by, created_at, description)
     SELECT 'run-' || n, 'stack-' || n, 'pre_plan', '', false, 'bench', now(), $1 FROM generate_series(1, $2) n`,
    [JSON.stringify(description), count],
  );
  await query(
    `INSERT INTO task_results (id, run, stage, position, name, request_url, enforcement, status, url, outcomes,
       requested_at, accepted_at, attempts, deadline)
     SELECT 'task-' || n, 'run-' || n, 'pre_plan', 0, 'bench', 'http://127.0.0.1:9/', 'mandatory', 'running', '', '[]',
       now(), now(), 1, now() + interval '10 minutes' FROM generate_series(1, $1) n`,
    [count],
  );
  await close();
}
