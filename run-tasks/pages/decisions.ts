import { limits } from '../../core/run-task/limits.ts';
import {
  type DecisionKind,
  RunStatus,
  type RunView,
  type TaskView,
  tasksToAccept,
} from '../../core/run-task/run.ts';
import { instantText } from '../../web/pages/content.ts';
import { field } from '../../web/pages/field.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { readForm } from '../../web/pages/visits.ts';
import { type Choice, holds } from '../platform/decide.ts';
import { runsPath, type Visit } from './page.ts';

/** Problems of a decision's form, by the id of the field. */
export type DecisionProblems = Record<string, string>;

type ReadChoice = { choice: Choice } | { problems: DecisionProblems };

/** Reads the form of a decision. Any plan that the page did not show is refused by its digest. */
export function readChoice(verb: Choice['verb'], { request, person }: Visit): ReadChoice {
  const form = readForm(request.body, request.headers['content-type']) ?? new URLSearchParams();
  const task = form.get('task') ?? '';
  const reason = (form.get('reason') ?? '').replaceAll('\r\n', '\n').trim();
  const id = reasonId(verb, task);
  if (reason.length > limits.message) {
    return { problems: { [id]: `Write at most ${limits.message} characters.` } };
  }
  if (reason.includes('\0') || !reason.isWellFormed()) return { problems: { [id]: 'Write plain text.' } };
  const planDigest = form.get('plan') || undefined;
  const common = { by: person, planDigest, ...(reason === '' ? {} : { reason }) };
  switch (verb) {
    case 'accept':
      if (reason === '') return { problems: { [id]: 'Say why it may go on nevertheless.' } };
      return { choice: { ...common, verb, task, reason } };
    case 'retry':
      return { choice: { ...common, verb, task } };
    default:
      return { choice: { ...common, verb } };
  }
}

/** Who gains what by the plan, open: it is what a decision is about. */
export function gainedPart({ gains, gained }: RunView): Content {
  if (gains === null || gains === 'none' || gained === null || gained.length === 0) return undefined;
  return html`<section aria-labelledby="gained"><h2 id="gained">${gains === 'some' ? 'Who gains what' : 'What cannot be judged'}</h2>
<ul>${gained.map((text) => html`<li>${text}</li>`)}</ul></section>`;
}

/** The forms of a run that waits for a person. */
export function decisionPart(visit: Visit, run: RunView, problems: DecisionProblems): Content {
  if (run.status === RunStatus.waitingForConfirmation) {
    return section(
      'This plan waits for confirmation',
      visit.person.mayAct
        ? decisionForm(visit, run, 'confirm', {
            problems,
            buttons: html`<button class="primary">Confirm the plan</button>
<button class="danger" formaction="${runsPath}/${run.id}/discard">Discard the plan</button>`,
          })
        : html`<p>Somebody with the policy <code>gatehouse-deploy</code> confirms or discards it.</p>`,
    );
  }
  if (run.status !== RunStatus.waitingForAcceptance) return undefined;
  const { acceptWith } = run;
  const mayAccept = acceptWith !== null && holds(visit.person, acceptWith);
  return section(
    'A mandatory run task did not pass',
    html`${
      mayAccept
        ? tasksToAccept(run).map((task) =>
            decisionForm(visit, run, 'accept', {
              task,
              problems,
              buttons: html`<button class="primary">Accept ${task.name} nevertheless</button>`,
            }),
          )
        : html`<p>${acceptWith === null ? 'The stack names no policy that accepts it.' : html`Somebody with the policy <code>${acceptWith}</code> can accept it.`} It can also be asked again.</p>`
    }
${
  visit.person.mayAct &&
  decisionForm(visit, run, 'discard', {
    problems,
    buttons: html`<button class="danger">Discard the plan</button>`,
  })
}`,
  );
}

/** A button at a task that ended and did not pass, while that can still change something. */
export function askAgain({ person, formToken }: Visit, run: RunView, task: TaskView): Content {
  const isAtHand = run.status === RunStatus.waitingForAcceptance || run.status === task.stage;
  if (!person.mayAct || !isAtHand || !isUnpassed(task)) return undefined;
  return html`<form method="post" action="${runsPath}/${run.id}/retry">${formToken}<input type="hidden" name="task" value="${task.id}">${plan(run)}<button>Ask ${task.name} again</button></form>`;
}

const words: Record<DecisionKind, string> = {
  confirmed: 'confirmed the plan',
  discarded: 'discarded the plan',
  accepted: 'accepted a run task that did not pass',
  asked_again: 'asked a run task again',
  canceled: 'canceled the run',
};

/** Who decided what, when and why. */
export function decisionList({ decisions, tasks }: RunView): Content {
  if (decisions.length === 0) return undefined;
  const nameOf = (id: string | null) => tasks.find((task) => task.id === id)?.name;
  return html`<section aria-labelledby="decisions"><h2 id="decisions">Decisions</h2>
<ul>${decisions.map(({ kind, task, by, decidedAt, reason }) => {
    const name = nameOf(task);
    return html`<li>${by} ${words[kind as DecisionKind]}${name !== undefined && html` (${name})`} at ${instantText(decidedAt)}${reason !== null && html`: “${reason}”`}</li>`;
  })}</ul></section>`;
}

function section(title: string, content: Content): SafeHtml {
  return html`<section aria-labelledby="decide"><h2 id="decide">${title}</h2>
${content}
<p class="quiet">Later runs of this stack begin once it is decided.</p></section>`;
}

interface DecisionFormArgs {
  task?: TaskView;
  problems: DecisionProblems;
  buttons: Content;
}

function decisionForm(
  { formToken }: Visit,
  run: RunView,
  verb: Choice['verb'],
  { task, problems, buttons }: DecisionFormArgs,
): SafeHtml {
  const id = reasonId(verb, task?.id ?? '');
  return html`<form class="fields" method="post" action="${runsPath}/${run.id}/${verb}" novalidate>${formToken}${plan(run)}
${task !== undefined && html`<input type="hidden" name="task" value="${task.id}">`}
${field({
  name: 'reason',
  id,
  label: verb === 'accept' ? `Why ${task?.name} may be accepted` : 'Reason, if you like',
  problem: problems[id],
  control: { required: verb === 'accept', maxlength: limits.message, autocomplete: 'off' },
})}
<div class="buttons">${buttons}</div></form>
`;
}

/** Both buttons of one form have one field. */
function reasonId(verb: Choice['verb'], task: string): string {
  return verb === 'accept' ? `reason-${task}` : 'reason';
}

/** The plan that the page shows: a decision about it holds for no other. */
function plan({ planDigest }: RunView): Content {
  return planDigest !== null && html`<input type="hidden" name="plan" value="${planDigest}">`;
}

function isUnpassed({ endedAt, supersededAt, status }: TaskView): boolean {
  return endedAt !== null && supersededAt === null && status !== 'passed';
}
