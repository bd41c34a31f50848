import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { PassThrough } from 'node:stream';
import { formatDuration } from '@gatehouse/core/graph';
import type { DeploymentEvent } from '@gatehouse/engine';
import { printable } from './style.ts';
import { stepTitle } from './subject-of.ts';
import { type Terminal, widthOf } from './terminal.ts';

type ResourceStep = Extract<DeploymentEvent, { type: 'step-started' }>['step'];

/** Resources that are named at once. */
const mostNamed = 8;
/** Milliseconds in which a terminal is written to once. */
const pause = 40;
const second = 1000;
const reading = 'Reading the service';

/**
 * What is in progress, on stderr, removed at the end: one line, and below it the resources under way, under their
 * components. Nothing if stderr is not a terminal.
 */
export class Progress {
  readonly #stream: Terminal['stderr'];
  readonly #env: NodeJS.ProcessEnv;
  readonly #pause: number;
  /** What is shown; empty for nothing. */
  #lines: string[] = [];
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #now: () => number;
  #title = '';
  #startedAt = 0;
  /** Resources that are done, each once: a replacement has several steps. */
  #done = new Set<string>();
  #total = 0;
  readonly #inProgress = new Map<string, ResourceStep>();
  /** Titles and parents of the components seen so far. */
  readonly #components = new Map<string, { title: string; parent: string | undefined }>();

  /**
   * @param everyMs how often to draw at most; 0 at once, for tests
   * @param now milliseconds that have passed since any moment
   */
  constructor(
    { stderr, env }: Pick<Terminal, 'stderr' | 'env'>,
    everyMs = pause,
    now = () => performance.now(),
  ) {
    this.#stream = stderr;
    this.#env = env;
    this.#pause = everyMs;
    this.#now = now;
  }

  /** One that is never shown. */
  static silent(): Progress {
    return new Progress({ stderr: new PassThrough(), env: {} });
  }

  /** Shows one line, at once. */
  say(text: string): void {
    this.#lines = [text];
    this.#draw();
  }

  /** Begins to count: `Applying`. The count of the last run is the total, until more is known. */
  begin(title: string): void {
    this.#title = title;
    this.#startedAt = this.#now();
    this.#total = this.#done.size;
    this.#done = new Set();
    this.#inProgress.clear();
  }

  onEvent(event: DeploymentEvent): void {
    if (this.#stream.isTTY !== true || event.type === 'diagnostic') return;
    if (event.type === 'expected') this.#total = event.steps;
    else this.#onStep(event.type, event.step);
    this.#show([this.#head(this.#done.size, this.#total), ...this.#tree()]);
  }

  /** For what reads a service: shows how many of its parts are read, in one line. */
  readonly onRead = (done: number, of: number): void => {
    if (this.#stream.isTTY !== true) return;
    if (done === 1 || this.#title !== reading) {
      this.#title = reading;
      this.#startedAt = this.#now();
    }
    this.#show([this.#head(done, of)]);
  };

  /** Removes it, so that something else can be printed. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = [];
    this.#erase();
  }

  #show(lines: string[]): void {
    this.#lines = lines;
    if (this.#pause === 0) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), this.#pause).unref();
  }

  #onStep(type: 'step-started' | 'step-done' | 'step-failed', step: ResourceStep): void {
    const { urn, op, newState, oldState } = step;
    const state = newState ?? oldState;
    if (state?.custom === false) {
      this.#components.set(urn, { title: stepTitle(step), parent: state.parent });
    }
    if (type === 'step-started') {
      this.#inProgress.set(urn, step);
      return;
    }
    this.#inProgress.delete(urn);
    // A resource that is read first, and then compared, is two things to do.
    this.#done.add(op === 'refresh' ? `refresh ${urn}` : urn);
  }

  #head(done: number, total: number): string {
    const number = (count: number) => count.toLocaleString('en-US');
    const of = total > done ? ` of ${number(total)}${this.#left(done, total)}` : '';
    return `${this.#title}: ${number(done)}${of} …`;
  }

  /** Known once some are done, and enough time has passed to tell how fast it goes. */
  #left(done: number, total: number): string {
    const passed = this.#now() - this.#startedAt;
    if (done === 0 || passed < second) return '';
    return `, ${formatDuration(Math.ceil(((passed / done) * (total - done)) / second))} left`;
  }

  #tree(): string[] {
    const lines: string[] = [];
    let above: string[] = [];
    const resources = [...this.#inProgress.values()].filter(({ urn }) => !this.#components.has(urn));
    const placed = resources.slice(0, mostNamed).map((step) => ({ step, path: this.#pathOf(step) }));
    placed.sort((a, b) => (a.path.join('\n') < b.path.join('\n') ? -1 : 1));
    for (const { step, path } of placed) {
      const shared = path.findIndex((title, at) => title !== above[at]);
      const from = shared === -1 ? path.length : shared;
      path.slice(from).forEach((title, at) => {
        lines.push(`${'  '.repeat(from + at + 1)}${title}`);
      });
      above = path;
      lines.push(`${'  '.repeat(path.length + 1)}${stepTitle(step)}`);
    }
    if (resources.length > mostNamed) lines.push(`  and ${resources.length - mostNamed} more`);
    return lines;
  }

  /** The titles of the components around a resource, the outermost first. */
  #pathOf({ newState, oldState }: ResourceStep): string[] {
    const path: string[] = [];
    let urn = (newState ?? oldState)?.parent;
    // The stack itself is around all.
    for (let component = this.#components.get(urn ?? ''); component?.parent !== undefined; ) {
      path.unshift(component.title);
      urn = component.parent;
      component = this.#components.get(urn);
    }
    return path;
  }

  #draw(): void {
    this.#timer = undefined;
    if (this.#stream.isTTY !== true) return;
    this.#erase();
    const width = (widthOf(this.#stream, this.#env) ?? 80) - 1;
    const text = this.#lines.map((line) => cut(printable(line), width)).join('\n');
    this.#stream.write(text);
    this.#drawn = this.#lines.length;
  }

  #erase(): void {
    if (this.#drawn === 0) return;
    moveCursor(this.#stream, 0, 1 - this.#drawn);
    cursorTo(this.#stream, 0);
    clearScreenDown(this.#stream);
    this.#drawn = 0;
  }
}

/** A line that the terminal would break could not be removed again. */
function cut(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
