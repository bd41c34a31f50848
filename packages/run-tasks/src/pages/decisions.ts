import { count } from '@gatehouse/core/review';
import {
  type DecisionKind,
  isEnd,
  isWaiting,
  limits,
  RunStatus,
  type RunView,
  TagLevel,
  type TaskView,
  tasksToAccept,
} from '@gatehouse/core/run-task';
import { EnforcementLevel, policyNameText } from '@gatehouse/core/values';
import { type Content, field, html, instantText, type SafeHtml, section } from '@gatehouse/host';
import { actingPolicy, holds } from '../platform/callers.ts';
import type { Choice } from '../platform/decide.ts';
import { action, formOf, type PageVisit, runsPath } from './page.ts';
import { statusText, verdictTag, withCode } from './tag.ts';

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
  const refused = (problem: string) => ({ problems: { [reasonId(verb, task)]: problem } });
  if (reason.length > limits.message) return refused(`Write at most ${limits.message} characters.`);
  if (reason.includes('\0') || !reason.isWellFormed()) return refused('Write plain text.');
  if (verb === 'accept' && reason === '') return refused('Say why it may go on nevertheless.');
  const common = { by, planDigest: form.get('plan') || undefined, ...(reason && { reason }) };
  const choice =
    verb === 'accept' || verb === 'retry' ? { ...common, verb, task, reason } : { ...common, verb };
  return { choice };
}

/** The first things to know about a run: the review's headline, what blocks the run, and for whom it waits. */
export function verdictPart(run: RunView): Content {
  const { gained, status } = run;
  const [headline] = gained ?? [];
  const blocking = blockingTasks(run);
  return html`${headline !== undefined && html`<p class="verdict">${verdictTag(run)} <strong>${headline}</strong></p>`}
${blocking.length > 0 && html`<div class="notice alarm" role="status">${blocking.map(blockedText)}</div>`}
${isEnd(status) ? undefined : html`<p>${waitingText(run)}</p>`}`;
}

/** Mandatory tasks whose result counts and is not `passed`. */
export function blockingTasks({ status, tasks }: RunView): TaskView[] {
  if (status !== RunStatus.waitingForAcceptance && status !== RunStatus.stopped) return [];
  return tasks.filter(
    (task) =>
      task.enforcement === EnforcementLevel.mandatory &&
      task.supersededAt === null &&
      task.endedAt !== null &&
      task.status !== 'passed',
  );
}

/** Errors that the sentence about a blocked run names; its tasks have all. */
const mostNamed = 3;

function blockedText({ name, message, status, outcomes }: TaskView): SafeHtml {
  const errors = outcomes.filter(({ tags }) =>
    Object.values(tags ?? {})
      .flat()
      .some(({ level }) => level === TagLevel.error),
  );
  const left = errors.length - mostNamed;
  // The errors are listed below and say why; without errors, the task's message does.
  const why = errors.length === 0 ? message || statusText(status) : `${count(errors.length, 'error')}.`;
  return html`<p><strong>Blocked by ${name}: ${why}</strong></p>
${errors.length > 0 && html`<ul>${errors.slice(0, mostNamed).map(({ description }) => html`<li>${withCode(description)}</li>`)}${left > 0 && html`<li>${left} more</li>`}</ul>`}`;
}

/** The people or tasks that a run waits for. */
function waitingText({ status, tasks, acceptWith, ahead }: RunView): Content {
  const actors = html`anyone with the policy <code>${actingPolicy}</code>`;
  if (status === RunStatus.waitingForConfirmation) return html`Waiting for confirmation by ${actors}.`;
  if (status === RunStatus.waitingForAcceptance) {
    return acceptWith === null
      ? html`Waiting for ${actors}. They can retry it or discard the plan. The stack names no policy that accepts it.`
      : html`Waiting for one of two approvers. Anyone with the policy <code>${policyNameText(acceptWith)}</code> can accept it; ${actors} can retry it or discard the plan.`;
  }
  const unended = tasks.filter(({ endedAt }) => endedAt === null).map(({ name }) => name);
  if (unended.length > 0) return html`Waiting for the answer of ${unended.join(', ')}.`;
  return ahead === null && html`In progress: ${statusText(status)}.`;
}

/** Who gains and who loses access by the plan, not folded, because decisions depend on it. */
export function gainedPart({ gains, gained, lost }: RunView): Content {
  const title = gains === 'some' ? 'Who gains' : gains === 'none' ? 'What else changes' : 'Not known';
  return html`${accessList('gained', title, gained?.slice(1))}${accessList('lost', 'Who loses', lost ?? [])}`;
}

/** Lines that begin with a space are details of the line above. */
function accessList(id: string, title: string, lines: readonly string[] = []): Content {
  if (lines.length === 0) return undefined;
  return section(
    id,
    title,
    html`<ul class="access">${lines.map((line) => html`<li${line.startsWith(' ') && html` class="more-about"`}>${line.trim()}</li>`)}</ul>`,
  );
}

/** The forms of a run that waits for a person. */
export function decisionPart(visit: PageVisit, run: RunView, problems: DecisionProblems): Content {
  if (!isWaiting(run.status)) return undefined;
  const isConfirmed = run.status === RunStatus.waitingForConfirmation;
  const content = (isConfirmed ? confirmation : acceptance)(visit, run, problems);
  return section(
    'decide',
    isConfirmed ? 'This plan waits for confirmation' : 'A mandatory run task did not pass',
    html`${content}
<p class="quiet">Later runs of this stack begin once it is decided.</p>`,
  );
}

function confirmation(visit: PageVisit, run: RunView, problems: DecisionProblems): SafeHtml {
  if (!visit.person.mayAct) {
    return html`<p>Anyone with the policy <code>${actingPolicy}</code> can confirm or discard it.</p>`;
  }
  const buttons = html`<button class="primary">Confirm the plan</button>
<button class="danger" formaction="${runsPath}/${run.id}/discard">Discard the plan</button>`;
  return decisionForm(visit, run, { verb: 'confirm', problems, buttons });
}

function acceptance(visit: PageVisit, run: RunView, problems: DecisionProblems): SafeHtml {
  const { acceptWith } = run;
  const forms = tasksToAccept(run).map((task) => {
    const buttons = html`<button class="primary">Accept ${task.name} nevertheless</button>`;
    return decisionForm(visit, run, { verb: 'accept', task, problems, buttons });
  });
  const who =
    acceptWith === null
      ? 'The stack names no policy that accepts it.'
      : html`Anyone with the policy <code>${policyNameText(acceptWith)}</code> can accept it.`;
  const buttons = html`<button class="danger">Discard the plan</button>`;
  return html`${
    acceptWith !== null && holds(visit.person, acceptWith)
      ? forms
      : html`<p>${who} It can also be retried.</p>`
  }
${visit.person.mayAct && decisionForm(visit, run, { verb: 'discard', problems, buttons })}`;
}

/** A button at a task that did not pass, while a retry can still change something. */
export function retryForm(visit: PageVisit, run: RunView, task: TaskView): Content {
  const { id, name, stage, endedAt, supersededAt, status } = task;
  const isAtHand = run.status === RunStatus.waitingForAcceptance || run.status === stage;
  const isUnpassed = endedAt !== null && supersededAt === null && status !== 'passed';
  if (!visit.person.mayAct || !isAtHand || !isUnpassed) return undefined;
  return action(
    visit,
    `${runsPath}/${run.id}/retry`,
    html`<button>Retry ${name}</button>`,
    subjectFields(run, id),
  );
}

const decisionTexts: Record<DecisionKind, string> = {
  confirmed: 'confirmed the plan',
  discarded: 'discarded the plan',
  accepted: 'accepted a run task that did not pass',
  retried: 'retried a run task',
  canceled: 'canceled the run',
};

export function decisionList({ decisions, tasks }: RunView): Content {
  if (decisions.length === 0) return undefined;
  const items = decisions.map(({ kind, task, by, decidedAt, reason }) => {
    const name = tasks.find(({ id }) => id === task)?.name;
    return html`<li>${by} ${decisionTexts[kind as DecisionKind]}${name !== undefined && html` (${name})`} at ${instantText(decidedAt)}${reason !== null && html`: “${reason}”`}</li>`;
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
  { formToken }: PageVisit,
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
  return html`<form class="fields" method="post" action="${runsPath}/${run.id}/${verb}" novalidate>${formToken}${subjectFields(run, task?.id)}
${reason}
<div class="buttons">${buttons}</div></form>
`;
}

/** Confirming and discarding share one form, and so its field. */
function reasonId(verb: Choice['verb'], task: string): string {
  return verb === 'accept' ? `reason-${task}` : 'reason';
}

/** Hidden fields with the subject of a decision: a task, and the plan that the page shows. */
function subjectFields({ planDigest }: RunView, task: string | undefined): Content {
  const fields = { task, plan: planDigest ?? undefined };
  return Object.entries(fields).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
}
