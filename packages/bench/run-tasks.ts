import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresPrograms, startPostgres } from '../../test/harness/postgres.ts';
import { listen } from '../host/src/listen.ts';
import { type AtEnd, type Bench, ending, type Figure, figure, percentile, result } from './frame.ts';
import { largePlan } from './large.ts';
import { type LoadResult, runTaskKey, startLoad } from './load.ts';
import { residentMegabytes, type ServerProcess, startServer } from './processes.ts';
import { cli, makeScratch } from './project.ts';

/** Limit of p99, in milliseconds. */
const limitMs = 50;
/** The same of the final callbacks of small plans beside large ones. */
const alongMs = 5000;
/** Large plans that are sent at once, before the small ones. */
const mostLarge = 8;

/** Streams of run tasks to `gatehouse serve`. Small sizes make all of it small. */
export const runTasks: Bench = async ({ n = 5000, seconds = 300, rate = 40 }, atEnd) => {
  const databases = await openDatabases(atEnd, await makeScratch(atEnd));
  const figures: Figure[] = [];
  for (const database of databases) {
    const short = { seconds: Math.min(10, seconds), keepsUp: true };
    figures.push(
      ...(await stream(database, { ...short, resources: n, rate: 10, keepsUp: false })),
      ...(await stream(database, { ...short, resources: Math.min(500, n), rate: 6 })),
      ...(await stream(database, { ...short, resources: 10, rate: 10, along: n })),
      ...(await stream(database, { ...short, resources: 10, rate, seconds })),
    );
  }
  return figures;
};

/** The store of a process: `DATABASE_URL`, or a folder. */
interface Store {
  url?: string;
  home: string;
}

interface BenchDatabase {
  name: 'PGlite' | 'PostgreSQL';
  newStore(): Promise<Store>;
}

/** Both databases of the run tasks; only PGlite if PostgreSQL is not installed. */
async function openDatabases(atEnd: AtEnd, folder: string): Promise<BenchDatabase[]> {
  const newHome = () => mkdtemp(join(folder, 'store-'));
  const pglite: BenchDatabase = { name: 'PGlite', newStore: async () => ({ home: await newHome() }) };
  if (postgresPrograms === undefined) return [pglite];
  const postgres = await startPostgres();
  atEnd(() => postgres.close());
  const newStore = async () => ({ url: await postgres.newDatabase(), home: await newHome() });
  return [pglite, { name: 'PostgreSQL', newStore }];
}

interface Stream {
  /** Of each plan. */
  resources: number;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Whether reviews must keep up, as they can with small plans. */
  keepsUp: boolean;
  /** Resources of each of the large plans that are sent before. Defaults to none of them. */
  along?: number;
}

/** A stream of requests: how fast they are answered, when their final callbacks come, and what memory that takes. */
function stream(
  database: BenchDatabase,
  { resources, rate, seconds, keepsUp, along }: Stream,
): Promise<Figure[]> {
  return ending(async (atEnd) => {
    const { origin, send, finals, wrong } = await startPlatform(atEnd, resources, along);
    const { address, pid } = await startServe(atEnd, await database.newStore(), origin);
    // The requests of a step are all in memory.
    const step = { rate, seconds: Math.min(5, seconds) };
    const warmUp = await send(address, step);
    const atOnce = { rate: mostLarge * 4, seconds: 0.25 };
    if (along !== undefined) await send(address, atOnce, largeTask);
    const [before, memory] = [finals.size, residentMegabytes(pid)];
    const steps: Sent[] = [];
    for (let at = 0; at < seconds; at += step.seconds) steps.push(await send(address, step));
    const total = (what: 'sent' | 'failed') => steps.reduce((sum, one) => sum + one[what], 0);
    const behind = Math.max(0, total('sent') - (finals.size - before)) / rate;
    const memoryAfter = residentMegabytes(pid);
    while (keepsUp && finals.size < warmUp.sent + total('sent') - total('failed')) await sleep(10);
    const timesOf = ({ prefix, startedAt, sent }: Sent) =>
      Array.from({ length: sent }, (_, at) => {
        return (finals.get(`${prefix}-${at}`) ?? Number.POSITIVE_INFINITY) - startedAt - (at * 1000) / rate;
      });
    const times = steps.flatMap(timesOf);
    const callbacks = [
      figure('  from request to final callback, p50', percentile(times, 0.5), ' ms'),
      figure('  … p99', percentile(times, 0.99), ' ms', along === undefined ? undefined : alongMs),
    ];
    return [
      figure(
        `${database.name}, ${seconds} s at ${rate} /s, plans of ${resources}${
          along === undefined ? '' : ` beside ${mostLarge} of ${along}`
        }: requests`,
        total('sent'),
      ),
      figure('  failed', total('failed')),
      figure('  p99 of the worst 5 s', Math.max(...steps.map(({ p99 }) => p99)), ' ms', limitMs),
      figure('  seconds of it that reviews are behind', behind, ' s', keepsUp ? 20 : undefined),
      ...(keepsUp ? callbacks : []),
      result('  reviews that did not pass', wrong.size),
      figure('  resident memory at its beginning', memory, ' MB'),
      figure('  … at its end', memoryAfter, ' MB'),
    ];
  });
}

/** Starts `gatehouse serve` with one endpoint. @param origin of the only platform that it may call */
function startServe(atEnd: AtEnd, { url, home }: Store, origin: string): Promise<ServerProcess> {
  const { DATABASE_URL: _, VAULT_ADDR: __, ...inherited } = process.env;
  const env = { ...inherited, GATEHOUSE_RUN_TASK_KEY: runTaskKey, ...(url && { DATABASE_URL: url }) };
  const args = [cli, 'serve', '--json', '--port', '0', '--home', home, '--allow-origin', origin];
  return startServer(atEnd, args, { cwd: home, env });
}

interface Sent extends LoadResult {
  prefix: string;
}

/** How the ids of tasks with the large plan begin. */
const largeTask = 'large';

/** The platform of the run tasks: takes every callback. @param resources of the plan, and of the large one */
async function startPlatform(atEnd: AtEnd, resources: number, large = resources) {
  const plan = JSON.stringify(largePlan(resources));
  const largerPlan = JSON.stringify(largePlan(large));
  /** When each task's final callback came, in milliseconds since 1970, by the task's id; not of those with the large plan. */
  const finals = new Map<string, number>();
  /** Tasks whose final callback says other than that nothing is wrong with the plan. */
  const wrong = new Set<string>();
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const isLarge = request.url?.includes(`/${largeTask}-`) === true;
      response.writeHead(200, { 'content-type': 'application/json' }).end(isLarge ? largerPlan : plan);
      return;
    }
    const { data } = (await json(request)) as { data: { attributes: { status: string } } };
    response.writeHead(200, { 'content-length': 0 }).end();
    const id = request.url?.split('/').at(-1) ?? '';
    if (data.attributes.status === 'running') return;
    if (data.attributes.status !== 'passed') wrong.add(id);
    if (id.startsWith(largeTask)) return;
    finals.set(id, performance.timeOrigin + performance.now());
  });
  const origin = `http://127.0.0.1:${await listen(server, 0)}`;
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const load = startLoad(atEnd);
  let steps = 0;
  /** Sends the integrator at an address requests at a rate, for so many seconds. */
  const send = async (
    address: string,
    step: { rate: number; seconds: number },
    kind = 'bench',
  ): Promise<Sent> => {
    steps += 1;
    const prefix = `${kind}-${steps}`;
    return { ...(await load({ url: `${address}/integrator/review`, origin, prefix, ...step })), prefix };
  };
  return { origin, finals, wrong, send };
}
