import type { RunSnapshot } from '../../operations/deploy.ts';
import { printable, type Style } from './style.ts';

type Task = RunSnapshot['tasks'][number];
type Outcome = Task['outcomes'][number];

/** By status. A status that is missing here is shown unchanged. */
const titles: Record<string, string> = {
  pending: 'Waiting for its turn',
  pre_plan: 'Before planning',
  planning: 'Planning',
  post_plan: 'After planning',
  pre_apply: 'Before applying',
  applying: 'Applying',
  post_apply: 'After applying',
  planned_and_finished: 'Planned and finished: nothing was applied.',
  applied: 'Applied.',
  stopped: 'Stopped.',
  errored: 'Errored.',
  canceled: 'Canceled.',
};

const taskStyles: Record<Task['status'], keyof Style> = {
  pending: 'faint',
  running: 'faint',
  passed: 'added',
  failed: 'removed',
  errored: 'removed',
};
const levelStyles = { none: 'faint', info: 'replaced', warning: 'changed', error: 'removed' } as const;

/** A run for a terminal: each time only what is new since the last time. */
export class RunText {
  readonly #style: Style;
  readonly #said = new Set<string>();

  constructor(style: Style) {
    this.#style = style;
  }

  news(run: RunSnapshot): string {
    const { strong, faint } = this.#style;
    const tasks = run.tasks.flatMap((task) => this.#task(task));
    const title = strong(titles[run.status] ?? printable(run.status));
    const isOver = run.endedAt !== null;
    const now = [
      title,
      ...(isOver && run.reason !== null ? [`  ${inOneBlock(run.reason)}`] : []),
      ...(isOver && run.status === 'planned_and_finished' && run.hasChanges === false
        ? [faint('  The plan changes nothing.')]
        : []),
    ];
    // The title of a stage goes above its tasks, the end of the run below them.
    const status = this.#once(`status ${run.status}`, now);
    const lines = isOver ? [...tasks, ...status] : [...status, ...tasks];
    const head = this.#once('run', [`Run ${printable(run.id)} of ${printable(run.stack)}`]);
    return [...head, ...lines].map((line) => `${line}\n`).join('');
  }

  #task(task: Task): string[] {
    const { id, name, stage, enforcement, status, message, trouble, url } = task;
    const style = this.#style;
    const who = `${printable(name)} ${style.faint(`(${stage}, ${enforcement})`)}`;
    const outcomes = task.outcomes.flatMap((outcome) =>
      this.#once(`outcome ${id} ${JSON.stringify(outcome)}`, this.#outcome(outcome)),
    );
    const isOver = status === 'passed' || status === 'failed' || status === 'errored';
    const result = [
      `  ${who} ${style[taskStyles[status]](status)}${message === null ? '' : `: ${inOneLine(message)}`}`,
      ...(isOver && url !== null ? [style.faint(`    ${inOneLine(url)}`)] : []),
    ];
    return [
      ...outcomes,
      ...(trouble !== null && !isOver
        ? this.#once(`trouble ${id} ${trouble}`, [`  ${who} ${style.changed(inOneLine(trouble))}`])
        : []),
      ...(status === 'pending' ? [] : this.#once(`task ${id} ${status} ${message}`, result)),
    ];
  }

  #outcome({ description, url, tags = {} }: Outcome): string[] {
    const labels = Object.entries(tags).flatMap(([name, entries]) =>
      entries.map(({ label, level }) => this.#style[levelStyles[level]](inOneLine(`${name}: ${label}`))),
    );
    return [
      `    - ${inOneLine(description)}${labels.length === 0 ? '' : ` [${labels.join(', ')}]`}`,
      ...(url === undefined ? [] : [this.#style.faint(`      ${inOneLine(url)}`)]),
    ];
  }

  #once(key: string, lines: string[]): string[] {
    if (this.#said.has(key)) return [];
    this.#said.add(key);
    return lines;
  }
}

function inOneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

function inOneBlock(text: string): string {
  return printable(text).trimEnd().replaceAll('\n', '\n  ');
}
