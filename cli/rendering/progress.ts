import { clearLine, cursorTo } from 'node:readline';
import type { DeploymentEvent } from '../../operations/deployment.ts';
import type { Terminal } from './terminal.ts';

/** One line on stderr that shows what is in progress, and is removed at the end. Nothing if stderr is not a terminal. */
export class Progress {
  readonly #stream: Terminal['stderr'];
  #done = 0;
  #shown = false;

  constructor(terminal: Terminal) {
    this.#stream = terminal.stderr;
  }

  say(text: string): void {
    if (this.#stream.isTTY !== true) return;
    cursorTo(this.#stream, 0);
    clearLine(this.#stream, 0);
    this.#stream.write(text.slice(0, (this.#stream.columns ?? 80) - 1));
    this.#shown = true;
  }

  onEvent(event: DeploymentEvent): void {
    if (event.type === 'diagnostic') return;
    if (event.type !== 'step-started') this.#done++;
    const { op, urn } = event.step;
    // `create`, not `creating`: plans use the same line.
    this.say(`${this.#done} done, ${op} ${urn.slice(urn.lastIndexOf('::') + 2)} …`);
  }

  /** Removes the line, so that something else can be printed. */
  clear(): void {
    if (!this.#shown) return;
    cursorTo(this.#stream, 0);
    clearLine(this.#stream, 0);
    this.#shown = false;
  }
}
