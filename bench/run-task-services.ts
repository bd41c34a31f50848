import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from '../test/harness/postgres.ts';
import { listen } from '../web/listen.ts';
import { root } from './bench-project.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { runTaskKey } from './run-task-request.ts';

/**
 * Starts `gatehouse serve` with one endpoint.
 *
 * @param origin of the only platform that it may call
 * @param withPlatform whether it is also a platform
 */
export async function startGatehouseServe(
  { url, home }: Store,
  origin: string,
  { withPlatform }: { withPlatform: boolean },
): Promise<ServerProcess & { endpoint: string }> {
  const { DATABASE_URL: _, VAULT_ADDR: __, ...env } = process.env;
  const server = await startServer(
    [
      join(root, 'cli', 'gatehouse.mjs'),
      'serve',
      ...['--json', '--port', '0', '--home', home, '--allow-origin', origin],
    ],
    {
      cwd: home,
      env: {
        ...env,
        GATEHOUSE_RUN_TASK_KEY: runTaskKey,
        ...(url && { DATABASE_URL: url }),
        // Never called, because nobody signs in.
        ...(withPlatform && { VAULT_ADDR: 'http://127.0.0.1:9' }),
      },
    },
  );
  return { ...server, endpoint: `${server.address}/integrator/review` };
}

/** The platform of the benches' run tasks: returns the plan and accepts every callback. */
export class RunTaskPlatform {
  readonly #server: Server;
  readonly #plan: string | undefined;
  readonly #awaited = new Map<string, (at: number) => void>();
  /** Final callbacks so far. */
  finals = 0;
  origin = '';

  private constructor(plan: string | undefined) {
    this.#plan = plan;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** @param plan if absent, requests for a plan get no response */
  static async open(plan?: string): Promise<RunTaskPlatform> {
    const platform = new RunTaskPlatform(plan);
    platform.origin = `http://127.0.0.1:${await listen(platform.#server, 0)}`;
    return platform;
  }

  /** Resolves to `performance.now()` at the final callback of a task. */
  final(id: string): Promise<number> {
    return new Promise((resolve) => this.#awaited.set(id, resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'GET') {
      if (this.#plan !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(this.#plan);
      }
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-length': 0 }).end();
      if (JSON.parse(body).data.attributes.status === 'running') return;
      this.finals += 1;
      const id = request.url?.split('/').at(-1) ?? '';
      this.#awaited.get(id)?.(performance.now());
      this.#awaited.delete(id);
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

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
export async function openBenchDatabases(
  folder: string,
): Promise<{ databases: BenchDatabase[]; close(): Promise<void> }> {
  const newHome = () => mkdtemp(join(folder, 'store-'));
  const databases: BenchDatabase[] = [{ name: 'PGlite', newStore: async () => ({ home: await newHome() }) }];
  if (postgresPrograms === undefined) return { databases, close: async () => {} };
  const postgres = await startPostgres();
  databases.push({
    name: 'PostgreSQL',
    newStore: async () => ({ url: await postgres.newDatabase(), home: await newHome() }),
  });
  return { databases, close: () => postgres.close() };
}
