import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Order, Start } from './messages.ts';

/** How a process ended instead of an answer. */
export type Ended = { kind: 'timed out' } | { kind: 'crashed' };

/** Milliseconds that loading a file, or a test that takes no time, may take on a busy machine. */
const patience = 8_000;
/** How many times as long as it was recorded with a test may take. */
const slower = 10;

const script = new URL('worker.ts', import.meta.url);

/** A worker, started when it is first asked. It is replaced after it hung or crashed. */
export class WorkerProcess {
  readonly #start: Start;
  #child: ChildProcess | undefined;

  constructor(start: Start) {
    this.#start = start;
  }

  ask(order: Order): Promise<Answer | Ended> {
    this.#child ??= fork(script, [JSON.stringify(this.#start)], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=2048'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A group of its own: with it end the servers that tests have started.
      detached: true,
      env: { ...process.env, TMPDIR: this.#start.temporary },
    });
    const child = this.#child;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (answer: Answer | Ended) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (answer.kind === 'timed out' || answer.kind === 'crashed' || answer.kind === 'spoiled')
          this.stop();
        resolve(answer);
      };
      const wait = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => end({ kind: 'timed out' }), ms);
      };
      child.on('exit', () => end({ kind: 'crashed' }));
      child.on('error', () => end({ kind: 'crashed' }));
      child.on('message', (answer: Answer) => {
        if (answer.kind === 'running') wait(patience + slower * answer.ms);
        else end(answer);
      });
      wait(order.kind === 'record' ? 20 * patience : patience);
      child.send(order);
    });
  }

  stop(): void {
    const group = this.#child?.pid;
    this.#child?.removeAllListeners();
    this.#child = undefined;
    try {
      if (group !== undefined) process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
