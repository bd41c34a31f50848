import {
  isWaiting,
  type Outcome,
  type RunView,
  type TaskView,
  tasksToAccept,
} from '@gatehouse/core/run-task';
import { policyNameText } from '@gatehouse/core/values';
import { given, oneLine, printable, type Style } from '../terminal/style.ts';

/** By status. A status that is missing here is shown unchanged. */
const titles: Record<string, string> = {
  pending: 'Waiting for its turn',
  pre_plan: 'Before planning',
  planning: 'Planning',
  post_plan: 'After planning',
  pre_apply: 'Before applying',
  applying: 'Applying',
  post_apply: 'After applying',
  waiting_for_acceptance: 'Blocked: a mandatory run task did not pass',
  waiting_for_confirmation: 'Waiting for confirmation of the plan',
  planned_and_finished: 'Planned and finished: nothing was applied.',
  applied: 'Applied.',
  stopped: 'Stopped.',
  errored: 'Errored.',
  canceled: 'Canceled.',
  discarded: 'Discarded.',
};

const taskStyles: Record<TaskView['status'], keyof Style> = {
  pending: 'faint',
  running: 'faint',
  passed: 'added',
  failed: 'removed',
  errored: 'removed',
  unreachable: 'removed',
};
const levelStyles = { none: 'faint', info: 'replaced', warning: 'changed', error: 'removed' } as const;

/** A run for a terminal: each time only what is new since the last time. */
export class RunText {
  readonly #style: Style;
  readonly #reported = new Set<string>();

  constructor(style: Style) {
    this.#style = style;
  }

  /** @param page address of the run's page, if it is to be shown */
  news(run: RunView, page?: string): string {
    const { strong, faint } = this.#style;
    const isOver = run.endedAt !== null;
    const lines = [
      ...this.#once('run', [
        `Run ${printable(run.id)} of ${printable(run.stack)}`,
        ...given(page && faint(`  ${printable(page)}`)),
      ]),
      // A stage may begin and end between two calls; its title still goes above its tasks.
      ...run.tasks.flatMap((task) => {
        const ofTask = this.#task(task);
        return ofTask.length === 0 ? [] : [...this.#stage(task.stage), ...ofTask];
      }),
      ...run.decisions.flatMap((decision, index) =>
        this.#once(`decision ${index}`, this.#decision(run, decision)),
      ),
    ];
    const isNothing = isOver && run.status === 'planned_and_finished' && run.hasChanges === false;
    const now = given(
      strong(titles[run.status] ?? printable(run.status)),
      isOver && run.reason !== null && `  ${inOneBlock(run.reason)}`,
      isNothing && faint('  The plan changes nothing.'),
      this.#waiting(run),
    );
    // A run may wait several times.
    const key = `status ${run.status}${isWaiting(run.status) ? ` ${run.decisions.length}` : ''}`;
    return [...lines, ...this.#once(key, now), ...this.#ahead(run)].map((line) => `${line}\n`).join('');
  }

  #stage(stage: TaskView['stage']): string[] {
    return this.#once(`status ${stage}`, [this.#style.strong(titles[stage] ?? stage)]);
  }

  /** The run that this one waits behind, and how to end that run. */
  #ahead({ ahead }: RunView): string[] {
    if (ahead === null) return [];
    const id = printable(ahead.id);
    const status = oneLine(ahead.status).replaceAll('_', ' ');
    const nextSteps = this.#style.faint(`  gatehouse run show ${id}, or gatehouse run discard ${id}`);
    const lines = given(`  It waits behind ${id} (${status}).`, isWaiting(ahead.status) && nextSteps);
    return this.#once(`ahead ${id} ${status}`, lines);
  }

  /** What a person has to decide, and the commands that decide it. */
  #waiting(run: RunView): string[] {
    const id = printable(run.id);
    const elsewhere = (verb: string) =>
      this.#style.faint(`  gatehouse run ${verb}, or gatehouse run discard ${id}`);
    if (run.status === 'waiting_for_confirmation') {
      return [...(run.gained ?? []).map((line) => `  ${printable(line)}`), elsewhere(`confirm ${id}`)];
    }
    if (run.status !== 'waiting_for_acceptance') return [];
    const names = tasksToAccept(run).map(({ name }) => printable(name));
    return given(
      run.acceptWith !== null &&
        `  The policy ${oneLine(policyNameText(run.acceptWith))} lets its holders accept it.`,
      names.map((name) => elsewhere(`accept ${id} --task ${name} --reason …`)),
    );
  }

  #decision({ tasks }: RunView, { kind, task, by, reason }: RunView['decisions'][number]): string[] {
    const name = tasks.find(({ id }) => id === task)?.name;
    const what = `${oneLine(kind).replaceAll('_', ' ')}${name === undefined ? '' : `: ${printable(name)}`}`;
    const why = reason === null ? '' : `: ${oneLine(reason)}`;
    return [`  ${this.#style.strong(what)} by ${oneLine(by)}${why}`];
  }

  #task(task: TaskView): string[] {
    const { id, name, stage, enforcement, status, message, trouble, url } = task;
    const style = this.#style;
    const who = `${printable(name)} ${style.faint(`(${stage}, ${enforcement})`)}`;
    const outcomes = task.outcomes.flatMap((outcome) =>
      this.#once(`outcome ${id} ${JSON.stringify(outcome)}`, this.#outcome(outcome)),
    );
    const isOver = task.endedAt !== null;
    const result = given(
      `  ${who} ${style[taskStyles[status]](status)}${message === null ? '' : `: ${oneLine(message)}`}`,
      isOver && url !== null && style.faint(`    ${oneLine(url)}`),
    );
    return given(
      outcomes,
      trouble !== null &&
        !isOver &&
        this.#once(`trouble ${id} ${trouble}`, [`  ${who} ${style.changed(oneLine(trouble))}`]),
      status !== 'pending' && this.#once(`task ${id} ${status} ${message}`, result),
    );
  }

  #outcome({ description, url, tags = {} }: Outcome): string[] {
    const labels = Object.entries(tags).flatMap(([name, entries]) =>
      entries.map(({ label, level }) => this.#style[levelStyles[level]](oneLine(`${name}: ${label}`))),
    );
    return given(
      `    - ${oneLine(description)}${labels.length === 0 ? '' : ` [${labels.join(', ')}]`}`,
      url && this.#style.faint(`      ${oneLine(url)}`),
    );
  }

  #once(key: string, lines: string[]): string[] {
    if (this.#reported.has(key)) return [];
    this.#reported.add(key);
    return lines;
  }
}

function inOneBlock(text: string): string {
  return printable(text).trimEnd().replaceAll('\n', '\n  ');
}
