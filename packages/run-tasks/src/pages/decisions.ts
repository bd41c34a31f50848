import {
  type DecisionKind,
  isCancelable,
  isEnd,
  isWaiting,
  limits,
  RunStatus,
  type RunView,
  type TaskView,
  tasksToAccept,
} from '@gatehouse/core/run-task';
import { policyNameText } from '@gatehouse/core/values';
import { type Content, field, html, instantText, type SafeHtml } from '@gatehouse/host';
import { actingPolicy, holds } from '../platform/callers.ts';
import type { Choice } from '../platform/decide.ts';
import { fold } from './fold.ts';
import { action, formOf, type PageVisit, runsPath } from './page.ts';
import { statusText } from './tag.ts';
import { blockingTasks, repeatsVerdict } from './verdict.ts';

/** Problems of a decision's form, by the id of the field. */
export type DecisionProblems = Record<string, string>;

/** Reads the form of a decision. It holds the digest of the plan that the page showed; another plan is refused. */
export function readChoice(
  verb: Choice['verb'],
  { request, person: by }: PageVisit,
): { choice: Choice } | { problems: DecisionProblems } {
  const form = formOf(request);
  const task = form.get('task') ?? '';
  const reason = (form.get('reason') ?? '').replaceAll('\r\n', '\n').trim();
  const refused = (problem: string) => ({ problems: { [reasonId(task)]: problem } });
  if (reason.length > limits.message) return refused(`Write at most ${limits.message} characters.`);
  if (reason.includes('\0') || !reason.isWellFormed()) return refused('Write plain text.');
  if (verb === 'accept' && reason === '') return refused('Say why it may go on nevertheless.');
  const common = { by, planDigest: form.get('plan') || undefined, ...(reason && { reason }) };
  const choice =
    verb === 'accept' || verb === 'retry' ? { ...common, verb, task, reason } : { ...common, verb };
  return { choice };
}

/** What the run waits for and who decides, or how it ended; then what the person can do about it. */
export function decisionPart(visit: PageVisit, run: RunView, problems: DecisionProblems): SafeHtml {
  const { title, text } = standOf(run);
  return html`<section class="stand" aria-labelledby="stand"><h2 id="stand">${title}</h2>
${text}
${isWaiting(run.status) ? decisionForms(visit, run, problems) : buttonOf(visit, run)}</section>`;
}

interface Stand {
  title: string;
  text: Content;
}

/** Where a run stands: in a few words, then in sentences. */
function standOf(run: RunView): Stand {
  const { status, stack, ahead } = run;
  if (isEnd(status)) return endOf(run);
  if (ahead !== null) return { title: 'Waiting for its turn', text: waitsBehind(run, ahead) };
  const turn = html`Later runs of ${stack} begin once it is decided.`;
  if (status === RunStatus.waitingForConfirmation)
    return { title: 'Waiting for confirmation', text: html`<p>By ${actors}. ${turn}</p>` };
  if (status === RunStatus.waitingForAcceptance) return waitForAcceptance(run, turn);
  const unended = run.tasks.filter(({ endedAt }) => endedAt === null);
  if (unended.length > 0) return waitForTasks(unended);
  return { title: `In progress: ${statusText(status)}`, text: undefined };
}

const actors = html`anyone with the policy <code>${actingPolicy}</code>`;

function waitForAcceptance(run: RunView, turn: SafeHtml): Stand {
  const { acceptWith } = run;
  const can = html`can retry it or discard the plan. ${turn}`;
  const who =
    acceptWith === null
      ? html`<p>The stack names no policy that accepts it. Anyone with the policy <code>${actingPolicy}</code> ${can}</p>`
      : html`<p>Anyone with the policy <code>${policyNameText(acceptWith)}</code> can accept it; ${actors} ${can}</p>`;
  return { title: blockedTitle(run), text: html`${blockedTexts(run)}${who}` };
}

function waitForTasks(tasks: readonly TaskView[]): Stand {
  const due = tasks.flatMap(({ deadlineAt }) => deadlineAt ?? []).sort();
  const [first] = due;
  return {
    title: `Waiting for ${tasks.map(({ name }) => name).join(', ')}`,
    text: first !== undefined && html`<p>The answer is due by ${instantText(first)}.</p>`,
  };
}

/** The run whose end this run waits for, and how to end it. */
function waitsBehind({ stack }: RunView, { id, status }: NonNullable<RunView['ahead']>): SafeHtml {
  return html`<p>Runs of ${stack} take turns: this one waits behind <a class="id" href="${runsPath}/${id}">${id}</a> (${statusText(status)}).${
    isWaiting(status) && html` It goes on after a decision; <code>gatehouse run discard ${id}</code> ends it.`
  }</p>`;
}

const endTitles: Record<string, string> = {
  applied: 'Applied',
  planned_and_finished: 'Nothing was applied',
  stopped: 'Stopped',
  errored: 'Failed',
  canceled: 'Canceled',
  discarded: 'Discarded',
};

/** Ends that a run can come to before its apply. */
const endsBeforeApply: readonly string[] = [RunStatus.stopped, RunStatus.canceled, RunStatus.discarded];

function endOf(run: RunView): Stand {
  const { status, reason, endedAt, hasChanges, isSpeculative, statusTimes } = run;
  const isBlocked = blockingTasks(run).length > 0;
  const why = isBlocked
    ? blockedTexts(run)
    : reason !== null
      ? html`<p>${reason}</p>`
      : status === RunStatus.plannedAndFinished &&
        html`<p>${isSpeculative ? 'The run only plans.' : hasChanges === false && 'There was nothing to apply.'}</p>`;
  // Before the apply nothing is written; after it began, the log has what was.
  const isUntouched =
    endsBeforeApply.includes(status) && !statusTimes.some((entered) => entered.status === RunStatus.applying);
  const ended =
    endedAt !== null &&
    html`<p class="quiet">${isUntouched && 'Nothing was applied. '}Ended at ${instantText(endedAt)}.</p>`;
  return {
    title: isBlocked ? blockedTitle(run) : (endTitles[status] ?? statusText(status)),
    text: html`${why}${ended}`,
  };
}

function blockedTitle(run: RunView): string {
  const names = blockingTasks(run).map(({ name }) => name);
  return `Blocked by ${names.length === 0 ? 'a run task' : names.join(' and ')}`;
}

/** What the blocking tasks say, as far as the verdict does not. */
function blockedTexts(run: RunView): Content {
  const texts = blockingTasks(run).flatMap(({ name, status, message }) => {
    if (message === null) return `${name}: ${statusText(status)}`;
    return repeatsVerdict(message, run) ? [] : `${name}: ${message}`;
  });
  return texts.map((text) => html`<p>${text}</p>`);
}

/** The forms of a run that waits for a person, as far as the person may decide. */
function decisionForms(visit: PageVisit, run: RunView, problems: DecisionProblems): Content {
  return run.status === RunStatus.waitingForConfirmation
    ? confirmation(visit, run, problems)
    : acceptance(visit, run, problems);
}

function confirmation(visit: PageVisit, run: RunView, problems: DecisionProblems): Content {
  if (!visit.person.mayAct) return undefined;
  const buttons = html`<button class="primary">Confirm the plan</button>
${discardButton(run)}`;
  return decisionForm(visit, run, { verb: 'confirm', problems, buttons });
}

/** A form for each task that may be accepted. The last one has the other buttons, too. */
function acceptance(visit: PageVisit, run: RunView, problems: DecisionProblems): Content {
  const { acceptWith } = run;
  const { mayAct } = visit.person;
  const tasks = acceptWith !== null && holds(visit.person, acceptWith) ? tasksToAccept(run) : [];
  const { buttons: retryButtons, forms } = retries(visit, run);
  if (tasks.length === 0) {
    const buttons = html`<button class="danger">Discard the plan</button>${retryButtons}`;
    return html`${mayAct && decisionForm(visit, run, { verb: 'discard', problems, buttons })}${forms}`;
  }
  const accepting = tasks.map((task, index) => {
    const isLast = index === tasks.length - 1;
    const buttons = html`<button class="primary">Accept ${task.name} nevertheless</button>
${isLast && html`${mayAct && discardButton(run)}${retryButtons}`}`;
    return decisionForm(visit, run, { verb: 'accept', task, problems, buttons });
  });
  return html`${accepting}${forms}`;
}

/** Discards by the form that it is in. */
function discardButton({ id }: RunView): SafeHtml {
  return html`<button class="danger" formaction="${runsPath}/${id}/discard">Discard the plan</button>`;
}

/** Buttons for tasks that did not pass, while a retry can still change something, and the forms that they send. */
function retries(visit: PageVisit, run: RunView): { buttons: Content; forms: Content } {
  const { status } = run;
  const retried = run.tasks.filter(
    (task) =>
      (status === RunStatus.waitingForAcceptance || status === task.stage) &&
      task.endedAt !== null &&
      task.supersededAt === null &&
      task.status !== 'passed',
  );
  if (!visit.person.mayAct) return { buttons: undefined, forms: undefined };
  return {
    buttons: retried.map(({ id, name }) => html`<button form="retry-${id}">Retry ${name}</button>`),
    forms: retried.map(
      ({ id }) =>
        html`<form method="post" id="retry-${id}" action="${runsPath}/${run.id}/retry">${visit.formToken}${subjectFields(run, id)}</form>`,
    ),
  };
}

/** Cancels a run in progress, or runs it again once it has ended. */
function buttonOf(visit: PageVisit, run: RunView): Content {
  const { id, status, endedAt } = run;
  if (!visit.person.mayAct) return undefined;
  const cancel = html`<button class="danger" id="cancel">Cancel the run</button>`;
  const rerun = html`<button id="rerun">Run again</button>`;
  const { buttons, forms } = retries(visit, run);
  return html`<div class="buttons">
${isCancelable(status) && action(visit, `${runsPath}/${id}/cancel`, cancel)}
${endedAt !== null && action(visit, `${runsPath}/${id}/rerun`, rerun)}
${buttons}</div>${forms}`;
}

const decisionTexts: Record<DecisionKind, string> = {
  confirmed: 'confirmed the plan',
  discarded: 'discarded the plan',
  accepted: 'accepted a run task that did not pass',
  retried: 'retried a run task',
  canceled: 'canceled the run',
};

export function decisionList({ decisions, tasks }: RunView): Content {
  const texts = decisions.map(({ kind, task, by, decidedAt, reason }) => {
    const name = tasks.find(({ id }) => id === task)?.name;
    return html`${by} ${decisionTexts[kind as DecisionKind]}${name !== undefined && html` (${name})`} at ${instantText(decidedAt)}${reason !== null && html`: “${reason}”`}`;
  });
  const last = texts.at(-1);
  if (last === undefined) return undefined;
  const content = html`<ol>${texts.map((text) => html`<li>${text}</li>`)}</ol>`;
  return texts.length === 1
    ? html`<p id="decided"><strong>Decision:</strong> ${last}</p>`
    : fold({ id: 'decided', title: 'Decisions', hint: html`${texts.length}, the last: ${last}`, content });
}

interface DecisionFormArgs {
  verb: Choice['verb'];
  task?: TaskView;
  problems: DecisionProblems;
  buttons: Content;
}

function decisionForm(
  { formToken }: PageVisit,
  run: RunView,
  { verb, task, problems, buttons }: DecisionFormArgs,
): SafeHtml {
  const id = reasonId(task?.id ?? '');
  const isAccepting = verb === 'accept';
  const reason = field({
    name: 'reason',
    id,
    label: isAccepting ? `Why ${task?.name} may be accepted` : 'Reason, if you like',
    problem: problems[id],
    control: { required: isAccepting, maxlength: limits.message, autocomplete: 'off' },
  });
  return html`<form class="fields" method="post" action="${runsPath}/${run.id}/${verb}" novalidate>${formToken}${subjectFields(run, task?.id)}
${reason}
<div class="buttons">${buttons}</div></form>
`;
}

/** All buttons of a form share its field: of a task, or of the plan. */
function reasonId(task: string): string {
  return task === '' ? 'reason' : `reason-${task}`;
}

/** Hidden fields with the subject of a decision: a task, and the plan that the page shows. */
function subjectFields({ planDigest }: RunView, task: string | undefined): Content {
  const fields = { task, plan: planDigest ?? undefined };
  return Object.entries(fields).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
}
