import { isWaiting, RunStatus, type RunView, type TaskView } from '@gatehouse/core/run-task';
import { largestOf, Stage } from '@gatehouse/core/values';
import { type Content, html, instantText, type SafeHtml, timeLeft } from '@gatehouse/host';
import { statusTag, statusText } from './tag.ts';

/** The steps of a run in order, with its status at each. */
const steps = [
  [Stage.prePlan, 'Pre-plan'],
  ['planning', 'Plan'],
  [Stage.postPlan, 'Post-plan'],
  [Stage.preApply, 'Pre-apply'],
  ['applying', 'Apply'],
  [Stage.postApply, 'Post-apply'],
] as const;

/** The state of a step; `ended` is the step at which a run ended early. */
type StepState = 'done' | 'current' | 'ended' | 'ahead';

interface RunStep {
  /** The run's status at it. */
  status: string;
  name: string;
  state: StepState;
  /** Milliseconds since 1970, where it is known. */
  from?: number;
  until?: number;
}

export function progressOf(run: RunView): RunStep[] {
  const at = indexOf(stageOfWait(run));
  const [reached, state] = at === -1 ? endOfRun(run) : [at, 'current' as const];
  const times = timesOf(run);
  return steps.map(([status, name], index) => ({
    status,
    name,
    state: index < reached ? 'done' : index === reached ? state : 'ahead',
    ...times[index],
  }));
}

function indexOf(status: string): number {
  return steps.findIndex(([stepStatus]) => stepStatus === status);
}

/** A run that waits for a person stands before the apply, or at the stage whose task did not pass. */
function stageOfWait({ status, tasks }: RunView): string {
  if (status === RunStatus.waitingForConfirmation) return Stage.preApply;
  return status === RunStatus.waitingForAcceptance ? (tasks.at(-1)?.stage ?? status) : status;
}

function endOfRun({ status, tasks, hasChanges, hasApplied }: RunView): [number, StepState] {
  switch (status) {
    case 'pending':
      return [0, 'ahead'];
    case 'applied':
      return [indexOf(Stage.postApply), 'done'];
    case 'planned_and_finished':
      return [indexOf(Stage.postPlan), 'done'];
    case 'errored':
      // Only planning and applying end with an error; a stage ends as stopped.
      return [indexOf(hasChanges === null ? 'planning' : hasApplied ? Stage.postApply : 'applying'), 'ended'];
    default: {
      const reached = tasks.map(({ stage }) => indexOf(stage));
      if (hasChanges !== null) reached.push(indexOf('planning'));
      if (hasApplied) reached.push(indexOf('applying'));
      return [largestOf(reached, 0), 'ended'];
    }
  }
}

/** From when until when a run was at each step. A wait for acceptance belongs to the step before it. */
function timesOf({ statusTimes }: RunView): Pick<RunStep, 'from' | 'until'>[] {
  const times: Pick<RunStep, 'from' | 'until'>[] = steps.map(() => ({}));
  let place = -1;
  for (const { status, at } of statusTimes) {
    const next = status === RunStatus.waitingForConfirmation ? indexOf(Stage.preApply) : indexOf(status);
    if (status === RunStatus.waitingForAcceptance || next === place) continue;
    const time = Date.parse(at);
    const left = times[place];
    if (left !== undefined) left.until = time;
    place = next;
    const entered = times[place];
    if (entered !== undefined) entered.from ??= time;
  }
  return times;
}

const stateTexts: Record<StepState, string> = {
  done: 'done',
  current: 'in progress',
  ended: 'ended here',
  ahead: 'not reached',
};

/** Each step with its state, its time and its run tasks: in a line, or as a list in a narrow window. */
export function progressLine(run: RunView): SafeHtml {
  return html`<section class="stages" aria-labelledby="stages"><h2 id="stages">Stages</h2>
<ol class="steps">${progressOf(run).map((step) => stepItem(step, run))}</ol></section>`;
}

function stepItem(step: RunStep, run: RunView): SafeHtml {
  const { status, name, state } = step;
  const isCurrent = state === 'current';
  const tasks = run.tasks.filter(({ stage, supersededAt }) => stage === status && supersededAt === null);
  const stateText = isCurrent && isWaiting(run.status) ? statusText(run.status) : stateTexts[state];
  return html`<li class="${state}"${isCurrent && html` aria-current="step"`}><strong>${name}</strong>
<span class="state">${stateText}${isIdle(step, tasks) && ', no run task'}</span>${timeText(step, run)}${tasks.map(taskState)}</li>
`;
}

/** Whether a stage was passed through, because it has no run task. */
function isIdle({ status, state }: RunStep, tasks: readonly TaskView[]): boolean {
  return state === 'done' && tasks.length === 0 && Object.values<string>(Stage).includes(status);
}

/** When it began, and how long it took. */
function timeText({ from, until }: RunStep, { createdAt }: RunView): Content {
  if (from === undefined) return undefined;
  const instant = new Date(from).toISOString();
  const isSameDay = instant.slice(0, 10) === createdAt.slice(0, 10);
  const time = isSameDay
    ? html`<time datetime="${instant}">${instant.slice(11, 19)} UTC</time>`
    : instantText(instant);
  const seconds = until === undefined ? 0 : Math.round((until - from) / 1000);
  return html` <span class="time">${time}${seconds > 0 && html`, ${timeLeft(seconds)}`}</span>`;
}

function taskState({ name, status }: TaskView): SafeHtml {
  return html` <span class="task-state">${name} ${statusTag(status)}</span>`;
}

export function stageName(stage: Stage): string {
  return steps.find(([status]) => status === stage)?.[1] ?? stage;
}
