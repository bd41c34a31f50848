import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { patience } from './active.ts';
import type { MutatedSource } from './source.ts';
import type { Answer, Order } from './worker.ts';

/** The longest that recording a file may take: that it ends is sure, and a busy machine is no failure. */
const recordingMs = 10 * 60_000;

/** Processes that run tests with the mutated sources, one for each order. */
export class Processes {
  readonly #root: string;
  /** Short: sockets are below it. */
  readonly #temporary = mkdtempSync(`${tmpdir()}/gh-`);
  readonly #running = new Set<ChildProcess>();

  constructor(root: string, sources: MutatedSource[]) {
    this.#root = root;
    for (const { file, code } of sources) {
      mkdirSync(dirname(`${this.#temporary}/sources/${file}`), { recursive: true });
      writeFileSync(`${this.#temporary}/sources/${file}`, code);
    }
    // What hangs would outlive this process.
    process.once('exit', () => this.close());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  }

  /** @returns `timed out` also for a process that ends without an answer */
  async ask(order: Order): Promise<Answer | { kind: 'timed out' }> {
    // Tests are those of `npm test`, also where the long tests run this: theirs take minutes.
    const { GATEHOUSE_LONG: _, GATEHOUSE_WEEKLY: __, ...env } = process.env;
    const child = fork(new URL('worker.ts', import.meta.url), [this.#root, `${this.#temporary}/sources`], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=2048'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A group of its own: with it end the servers that tests have started.
      detached: true,
      env: { ...env, TMPDIR: this.#temporary },
    });
    this.#running.add(child);
    const most =
      'tests' in order
        ? order.tests.reduce((sum, { ms }) => sum + patience.times * ms, 12 * patience.ms)
        : recordingMs;
    const { promise, resolve } = Promise.withResolvers<Answer | { kind: 'timed out' }>();
    const late = setTimeout(() => resolve({ kind: 'timed out' }), most);
    for (const end of ['exit', 'error']) child.once(end, () => resolve({ kind: 'timed out' }));
    child.once('message', (answer: Answer) => resolve(answer));
    child.send(order, () => {});
    const answer = await promise;
    clearTimeout(late);
    this.#stop(child);
    return answer;
  }

  close(): void {
    for (const child of this.#running) this.#stop(child);
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 3 });
  }

  #stop(child: ChildProcess): void {
    this.#running.delete(child);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
