import { limits } from '../../core/run-task/limits.ts';
import {
  type DecisionKind,
  isWaiting,
  RunStatus,
  type RunView,
  type TaskView,
  tasksToAccept,
} from '../../core/run-task/run.ts';
import { instantText, section } from '../../web/pages/content.ts';
import { field } from '../../web/pages/field.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { type Choice, holds } from '../platform/decide.ts';
import { action, formOf, runsPath, type Visit } from './page.ts';

/** Problems of a decision's form, by the id of the field. */
export type DecisionProblems = Record<string, string>;

/** Reads the form of a decision. Any plan that the page did not show is refused by its digest. */
export function readChoice(
  verb: Choice['verb'],
  { request, person: by }: Visit,
): { choice: Choice } | { problems: DecisionProblems } {
  const form = formOf(request);
  const task = form.get('task') ?? '';
  const reason = (form.get('reason') ?? '').replaceAll('\r\n', '\n').trim();
  const refused = (problem: string) => ({ problems: { [reasonId(verb, task)]: problem } });
  if (reason.length > limits.message) return refused(`Write at most ${limits.message} characters.`);
  if (reason.includes('\0') || !reason.isWellFormed()) return refused('Write plain text.');
  if (verb === 'accept' && reason === '') return refused('Say why it may go on nevertheless.');
  const common = { by, planDigest: form.get('plan') || undefined, ...(reason && { reason }) };
  const choice =
    verb === 'accept' || verb === 'retry' ? { ...common, verb, task, reason } : { ...common, verb };
  return { choice };
}

/** Who gains what by the plan, open: it is what a decision is about. */
export function gainedPart({ gains, gained }: RunView): Content {
  if (gains === null || gains === 'none' || gained === null || gained.length === 0) return undefined;
  const title = gains === 'some' ? 'Who gains what' : 'What cannot be judged';
  return section('gained', title, html`<ul>${gained.map((text) => html`<li>${text}</li>`)}</ul>`);
}

/** The forms of a run that waits for a person. */
export function decisionPart(visit: Visit, run: RunView, problems: DecisionProblems): Content {
  if (!isWaiting(run.status)) return undefined;
  const isConfirmed = run.status === RunStatus.waitingForConfirmation;
  const content = (isConfirmed ? confirmation : acceptance)(visit, run, problems);
  return section(
    'decide',
    isConfirmed ? 'This plan waits for confirmation' : 'Blocked: a mandatory run task did not pass',
    html`${content}
<p class="quiet">Later runs of this stack begin once it is decided.</p>`,
  );
}

function confirmation(visit: Visit, run: RunView, problems: DecisionProblems): SafeHtml {
  if (!visit.person.mayAct) {
    return html`<p>Someone with the policy <code>gatehouse-deploy</code> confirms or discards it.</p>`;
  }
  const buttons = html`<button class="primary">Confirm the plan</button>
<button class="danger" formaction="${runsPath}/${run.id}/discard">Discard the plan</button>`;
  return decisionForm(visit, run, { verb: 'confirm', problems, buttons });
}

function acceptance(visit: Visit, run: RunView, problems: DecisionProblems): SafeHtml {
  const { acceptWith } = run;
  const forms = tasksToAccept(run).map((task) => {
    const buttons = html`<button class="primary">Accept ${task.name} nevertheless</button>`;
    return decisionForm(visit, run, { verb: 'accept', task, problems, buttons });
  });
  const who =
    acceptWith === null
      ? 'The stack names no policy that accepts it.'
      : html`Someone with the policy <code>${acceptWith}</code> can accept it.`;
  const buttons = html`<button class="danger">Discard the plan</button>`;
  return html`${
    acceptWith !== null && holds(visit.person, acceptWith)
      ? forms
      : html`<p>${who} It can also be asked again.</p>`
  }
${visit.person.mayAct && decisionForm(visit, run, { verb: 'discard', problems, buttons })}`;
}

/** A button at a task that ended and did not pass, while that can still change something. */
export function askAgain(visit: Visit, run: RunView, task: TaskView): Content {
  const { id, name, stage, endedAt, supersededAt, status } = task;
  const isAtHand = run.status === RunStatus.waitingForAcceptance || run.status === stage;
  const isUnpassed = endedAt !== null && supersededAt === null && status !== 'passed';
  if (!visit.person.mayAct || !isAtHand || !isUnpassed) return undefined;
  return action(
    visit,
    `${runsPath}/${run.id}/retry`,
    html`<button>Ask ${name} again</button>`,
    about(run, id),
  );
}

const words: Record<DecisionKind, string> = {
  confirmed: 'confirmed the plan',
  discarded: 'discarded the plan',
  accepted: 'accepted a run task that did not pass',
  asked_again: 'asked a run task again',
  canceled: 'canceled the run',
};

export function decisionList({ decisions, tasks }: RunView): Content {
  if (decisions.length === 0) return undefined;
  const items = decisions.map(({ kind, task, by, decidedAt, reason }) => {
    const name = tasks.find(({ id }) => id === task)?.name;
    return html`<li>${by} ${words[kind as DecisionKind]}${name !== undefined && html` (${name})`} at ${instantText(decidedAt)}${reason !== null && html`: “${reason}”`}</li>`;
  });
  return section('decisions', 'Decisions', html`<ul>${items}</ul>`);
}

interface DecisionFormArgs {
  verb: Choice['verb'];
  task?: TaskView;
  problems: DecisionProblems;
  buttons: Content;
}

function decisionForm(
  { formToken }: Visit,
  run: RunView,
  { verb, task, problems, buttons }: DecisionFormArgs,
): SafeHtml {
  const id = reasonId(verb, task?.id ?? '');
  const isAccepting = verb === 'accept';
  const reason = field({
    name: 'reason',
    id,
    label: isAccepting ? `Why ${task?.name} may be accepted` : 'Reason, if you like',
    problem: problems[id],
    control: { required: isAccepting, maxlength: limits.message, autocomplete: 'off' },
  });
  return html`<form class="fields" method="post" action="${runsPath}/${run.id}/${verb}" novalidate>${formToken}${about(run, task?.id)}
${reason}
<div class="buttons">${buttons}</div></form>
`;
}

/** Confirming and discarding share one form, and so its field. */
function reasonId(verb: Choice['verb'], task: string): string {
  return verb === 'accept' ? `reason-${task}` : 'reason';
}

/** What a form decides: a task, and the plan that the page shows, and no other. */
function about({ planDigest }: RunView, task: string | undefined): Content {
  const fields = { task, plan: planDigest ?? undefined };
  return Object.entries(fields).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
}
