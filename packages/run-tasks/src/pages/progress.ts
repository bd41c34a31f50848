import { isWaiting, RunStatus, type RunView } from '@gatehouse/core/run-task';
import { largestOf, Stage } from '@gatehouse/core/values';
import { html, type SafeHtml } from '@gatehouse/host';
import { statusText } from './tag.ts';

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

export function progressOf(run: RunView): { name: string; state: StepState }[] {
  const at = steps.findIndex(([status]) => status === stageOfWait(run));
  const [reached, state] = at === -1 ? endOfRun(run) : [at, 'current' as const];
  return steps.map(([, name], index) => ({
    name,
    state: index < reached ? 'done' : index === reached ? state : 'ahead',
  }));
}

/** A run that waits for a person stands before the apply, or at the stage whose task did not pass. */
function stageOfWait({ status, tasks }: RunView): string {
  if (status === RunStatus.waitingForConfirmation) return Stage.preApply;
  return status === RunStatus.waitingForAcceptance ? (tasks.at(-1)?.stage ?? status) : status;
}

function endOfRun({ status, tasks, hasChanges, hasApplied }: RunView): [number, StepState] {
  const indexOf = (step: string) => steps.findIndex(([stepStatus]) => stepStatus === step);
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

const stateTexts: Record<StepState, string> = {
  done: 'done',
  current: 'in progress',
  ended: 'ended here',
  ahead: 'not reached',
};

/** The steps in a line, or as a list in a narrow window. */
export function progressLine(run: RunView): SafeHtml {
  const currentText = isWaiting(run.status) ? statusText(run.status) : stateTexts.current;
  return html`<ol class="steps">${progressOf(run).map(
    ({ name, state }) =>
      html`<li class="${state}"${state === 'current' && html` aria-current="step"`}>${name}<span class="hidden">, ${state === 'current' ? currentText : stateTexts[state]}</span></li>`,
  )}</ol>`;
}

export function stageName(stage: Stage): string {
  return steps.find(([status]) => status === stage)?.[1] ?? stage;
}
