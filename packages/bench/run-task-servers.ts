import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { postgresPrograms, startPostgres } from '../../test/harness/postgres.ts';
import { listen } from '../../web/listen.ts';
import type { AtEnd } from './frame.ts';
import { largePlan } from './large.ts';
import { type LoadResult, startLoad } from './load.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { cli } from './project.ts';
import { runTaskKey } from './run-task-request.ts';

/** The store of a process: `DATABASE_URL`, or a folder. */
export interface Store {
  url?: string;
  home: string;
}

export interface BenchDatabase {
  name: 'PGlite' | 'PostgreSQL';
  newStore(): Promise<Store>;
}

/** Both databases of the run tasks; only PGlite if PostgreSQL is not installed. */
export async function openDatabases(atEnd: AtEnd, folder: string): Promise<BenchDatabase[]> {
  const newHome = () => mkdtemp(join(folder, 'store-'));
  const pglite: BenchDatabase = { name: 'PGlite', newStore: async () => ({ home: await newHome() }) };
  if (postgresPrograms === undefined) return [pglite];
  const postgres = await startPostgres();
  atEnd(() => postgres.close());
  const newStore = async () => ({ url: await postgres.newDatabase(), home: await newHome() });
  return [pglite, { name: 'PostgreSQL', newStore }];
}

/** A server that takes run task requests. */
export interface Integrator extends ServerProcess {
  url: string;
}

/** Starts `gatehouse serve` with one endpoint. @param origin of the only platform that it may call */
export async function startServe(
  atEnd: AtEnd,
  { url, home }: Store,
  origin: string,
  role: 'integrator' | 'integrator and platform' = 'integrator',
): Promise<Integrator> {
  const { DATABASE_URL: _, VAULT_ADDR: __, ...inherited } = process.env;
  const env = { ...inherited, GATEHOUSE_RUN_TASK_KEY: runTaskKey, ...(url && { DATABASE_URL: url }) };
  // The service is never called, because no one signs in.
  const service = role === 'integrator' ? {} : { VAULT_ADDR: 'http://127.0.0.1:9' };
  const args = [cli, 'serve', '--json', '--port', '0', '--home', home, '--allow-origin', origin];
  const server = await startServer(atEnd, args, { cwd: home, env: { ...env, ...service } });
  return { ...server, url: `${server.address}/integrator/review` };
}

export async function startBare(atEnd: AtEnd, { url = '', home }: Store): Promise<Integrator> {
  const program = fileURLToPath(new URL('bare-run-task-server.ts', import.meta.url));
  const server = await startServer(atEnd, [program, url, home]);
  return { ...server, url: server.address };
}

export interface Platform {
  origin: string;
  /** When each task's final callback came, in milliseconds since 1970, by the task's id. */
  finals: ReadonlyMap<string, number>;
  /** Sends an integrator requests at a rate, for so many seconds. The tasks' ids are `<prefix>-0` and so on. */
  send(url: string, step: { rate: number; seconds: number; leadIn?: number }): Promise<Sent>;
}

export interface Sent extends LoadResult {
  prefix: string;
}

/** The platform of the run tasks: takes every callback. @param resources of the plan; 0: it never sends one */
export async function startPlatform(atEnd: AtEnd, resources: number): Promise<Platform> {
  const plan = JSON.stringify(largePlan(resources));
  const finals = new Map<string, number>();
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      if (resources > 0) response.writeHead(200, { 'content-type': 'application/json' }).end(plan);
      return;
    }
    const { data } = (await json(request)) as { data: { attributes: { status: string } } };
    response.writeHead(200, { 'content-length': 0 }).end();
    const id = request.url?.split('/').at(-1) ?? '';
    if (data.attributes.status !== 'running') finals.set(id, performance.timeOrigin + performance.now());
  });
  const origin = `http://127.0.0.1:${await listen(server, 0)}`;
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const load = startLoad(atEnd);
  let steps = 0;
  const send: Platform['send'] = async (url, step) => {
    steps += 1;
    const prefix = `bench-${steps}`;
    return { ...(await load({ url, connections: 64, bodies: { origin, prefix }, ...step })), prefix };
  };
  return { origin, finals, send };
}
