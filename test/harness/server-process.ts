import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordPart } from './real-parts.ts';
import { uncounted } from './timed-processes.ts';

interface ServerOptions {
  /** What it is, for the times at the end of a run. */
  name: string;
  /** Its own, whole: variables of the user's shell would change it. Its arguments, every process of the machine can read. */
  env: NodeJS.ProcessEnv;
  /** Milliseconds that it may take to end by itself before it is killed. */
  graceMs?: number;
}

/** A server that ends with this process, whichever way that goes (SIGKILL included). */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #watcher: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #graceMs: number;
  readonly #name: string;
  readonly #startedAt = performance.now();
  /** The end of what it printed to standard error. What goes to standard output may hold secrets. */
  output = '';
  hasEnded = false;

  constructor(program: string, args: string[], { name, env, graceMs = 0 }: ServerOptions) {
    this.#name = name;
    this.#graceMs = graceMs;
    // Its own process group: Ctrl-C is for us, and what it starts ends with it.
    this.#child = uncounted(() =>
      spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true }),
    );
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output = (this.output + text).slice(-4_000);
    });
    this.#ended = once(this.#child, 'exit').then(
      () => this.#end(),
      (error: Error) => this.#end(error.message),
    );
    // A shell sees the end of its input when this process is gone, and ends the group.
    this.#watcher = uncounted(() =>
      spawn('/bin/sh', ['-c', `read -r _; kill -- -${this.#child.pid}`], {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      }),
    );
    this.#watcher.unref();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Resolves once it answers.
   *
   * @param isReady asks it; where that rejects, it does not answer yet
   * @throws Error with what it said, if it ends or takes longer; it is stopped then
   */
  async answering(
    isReady: () => Promise<boolean | undefined>,
    withinMs: number,
    everyMs = 50,
  ): Promise<void> {
    const over = Date.now() + withinMs;
    while (!(await isReady().catch(() => false))) {
      if (this.hasEnded || Date.now() > over) {
        await this.stop();
        const why = this.hasEnded ? 'the process ended' : `no answer within ${withinMs / 1000} s`;
        throw new Error(`${this.#child.spawnfile} did not start: ${why}: ${this.output}`);
      }
      await Promise.race([sleep(everyMs), this.#ended]);
    }
    recordPart(this.#name, this.#startedAt);
  }

  /** Resolves once it has ended. Safe to call twice. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const patience = setTimeout(() => this.#kill('SIGKILL'), this.#graceMs);
    if (this.#graceMs > 0) this.#kill('SIGTERM');
    await this.#ended;
    clearTimeout(patience);
  }

  #kill(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // It has ended by itself.
    }
  }

  #end(text = ''): void {
    this.output += text;
    this.hasEnded = true;
    // Its number may become that of another process.
    this.#watcher.kill('SIGKILL');
    this.#watcher.stdin?.destroy();
  }
}

/**
 * Above the ports that Linux gives to connections: none takes it while the process that listens is away. Each worker of jest has its
 * own of them.
 */
const ports = { first: 61_000, perWorker: 500 };
const workers = 9;
const given = new Set<number>();

/** A free port for processes that listen on it one after the other, which no other test of the run has. */
export async function lastingPort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % workers;
  for (;;) {
    if (given.size === ports.perWorker) given.clear();
    const port = ports.first + worker * ports.perWorker + Math.floor(Math.random() * ports.perWorker);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const isFree = once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
