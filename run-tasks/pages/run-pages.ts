import { Stage } from '../../core/model/values/stage.ts';
import {
  isCancelable,
  isWaiting,
  type ListedRun,
  type PlannedChange,
  type PlannedChanges,
  type RunView,
  type TaskView,
} from '../../core/run-task/run.ts';
import { alarm, facts, instantText, outsideLink, section, table } from '../../web/pages/content.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import type { PageAnswer } from '../../web/pages/site.ts';
import { mostLogLines } from '../platform/apply-log.ts';
import { askAgain, type DecisionProblems, decisionList, decisionPart, gainedPart } from './decisions.ts';
import { outcomeFilter, outcomeList, type Rendering } from './outcome-list.ts';
import { type OutcomeQuery, readOutcomeQuery } from './outcome-query.ts';
import { type Answering, action, idOf, mostListed, reloading, runsPath, site, type Visit } from './page.ts';
import type { RunsSource } from './platform-runs.ts';
import { progressLine, stageName } from './progress.ts';
import { statusTag, statusText, tag } from './tag.ts';

/** The newest runs, of all stacks or of one (`?stack=`). */
export function runsPage(runs: RunsSource): Answering {
  return async (visit) => {
    const stack = visit.request.query.get('stack') || undefined;
    const listed = await runs.list({ stack, limit: mostListed });
    return site.answer({
      visit,
      title: stack === undefined ? 'Runs' : `Stack ${stack}`,
      current: runsPath,
      head: reloading,
      lead:
        stack === undefined
          ? html`<p>Newest first.</p>`
          : html`<p>Its runs, newest first. <a href="${runsPath}">All stacks</a></p>`,
      body: html`<div id="runs" data-news data-live="">${runList(listed)}</div>`,
    });
  };
}

function runList(runs: readonly ListedRun[]): SafeHtml {
  if (runs.length === 0) {
    return html`<p>There are no runs yet. <code>gatehouse deploy -s STACK</code> starts one.</p>`;
  }
  return table(
    ['Run', 'Stack', 'Status', 'Started'],
    runs.map(({ id, stack, status, message, isSpeculative, createdBy, createdAt }) => [
      html`<a id="${id}" href="${runsPath}/${id}">${message || 'Without a message'}</a><br><span class="id quiet">${id}</span>`,
      html`<a href="${runsPath}?stack=${encodeURIComponent(stack)}">${stack}</a>`,
      html`${statusTag(status)}${isSpeculative && html`<br><span class="quiet">plans only</span>`}`,
      html`${instantText(createdAt)}<br><span class="quiet">by ${createdBy}</span>`,
    ]),
  );
}

/** One run: its progress, its tasks by stage, and what they found. */
export function runPage(runs: RunsSource): Answering {
  return async (visit) => {
    const run = await runs.read(idOf(visit.request));
    return run && renderRun(visit, run);
  };
}

/** Why an action was refused: as a whole (409), or at fields of its form (422). */
interface Refused {
  problem?: string;
  problems?: DecisionProblems;
}

export function renderRun(visit: Visit, run: RunView, refused: Refused = {}): PageAnswer {
  const { problem, problems = {} } = refused;
  const query = readOutcomeQuery(visit.request.query);
  const outcomes = run.tasks.flatMap((task) => task.outcomes);
  const isRefused = problem !== undefined || Object.keys(problems).length > 0;
  // The address of a form that was refused cannot be fetched again.
  const isLive = run.endedAt === null && !isRefused;
  const page = {
    visit,
    title: run.message || 'Run',
    current: runsPath,
    head: isLive ? reloading : undefined,
    lead: html`<div id="run-lead" data-news>${runFacts(run)}${actions(visit, run)}</div>`,
    body: html`${problem !== undefined && alarm(problem)}
<div id="run-progress" data-news${isLive && html` data-live="${runsPath}/${run.id}/events"`}>${progressLine(run)}${waitsBehind(run)}
${run.reason !== null && html`<div class="notice${run.status === 'stopped' || run.status === 'errored' ? ' alarm' : ''}" role="status"><p>${run.reason}</p></div>`}</div>
<div id="run-plan" data-news class="work">${planPart(run)}</div>
<div id="run-gained" data-news class="work">${gainedPart(run)}</div>
<div id="run-decision" data-news class="work">${decisionPart(visit, run, problems)}</div>
<div id="run-decisions" data-news class="work">${decisionList(run)}</div>
<div id="run-log" data-news class="work">${applyLogPart(run)}</div>
<div id="run-filter" data-news>${outcomeFilter(outcomes, query)}</div>
<div id="run-stages" data-news class="work">${stages(visit, run, query)}</div>`,
  };
  return site.answer(page, problem !== undefined ? 409 : Object.keys(problems).length > 0 ? 422 : 200);
}

function runFacts(run: RunView): SafeHtml {
  const { id, stack, status, isSpeculative, hasChanges, createdBy, createdAt, endedAt } = run;
  const { commit, commitUrl, hasUncommittedChanges } = run;
  const rows: [string, Content][] = [
    ['Status', statusTag(status)],
    ['Stack', html`<a href="${runsPath}?stack=${encodeURIComponent(stack)}">${stack}</a>`],
    [
      'Commit',
      commit !== null &&
        html`${commitLink(commit, commitUrl)}${hasUncommittedChanges && ', with uncommitted changes'}`,
    ],
    ['Plan', hasChanges === null ? 'not made yet' : hasChanges ? 'has changes' : 'has no changes'],
    ['Applies', isSpeculative ? 'never: it only plans' : undefined],
    ['Started', html`${instantText(createdAt)} by ${createdBy}`],
    ['Ended', endedAt === null ? undefined : instantText(endedAt)],
    ['Run', html`<span class="id">${id}</span>`],
  ];
  return facts(rows, 'slim');
}

/** The run whose end this one waits for, and how to make an end of it. */
function waitsBehind({ ahead, stack }: RunView): Content {
  if (ahead === null) return undefined;
  const { id, status } = ahead;
  return html`<div class="notice" role="status"><p>Runs of ${stack} take turns: this one waits behind <a class="id" href="${runsPath}/${id}">${id}</a> (${statusText(status)}).${
    isWaiting(status) &&
    html` It goes on once a person decides; <code>gatehouse run discard ${id}</code> ends it.`
  }</p></div>`;
}

function applyLogPart({ applyLog }: RunView): Content {
  if (applyLog.length === 0) return undefined;
  const isFull = applyLog.length >= mostLogLines;
  const lines = html`<ol class="changes">${applyLog.map((line) => html`<li class="id">${line}</li>`)}</ol>
${isFull && html`<p class="quiet">Further lines are not kept.</p>`}`;
  return section('apply-log', 'Apply', lines);
}

/** The commit by the first characters of its name, as git shortens it; a link if its page is on the web. */
function commitLink(commit: string, url: string | null): Content {
  const name = html`<span class="id">${commit.slice(0, 10)}</span>`;
  return url === null ? name : outsideLink(url, commit.slice(0, 10), name);
}

/** How each kind of change looks, in the order in which counts are given. */
const looks = {
  create: 'good',
  import: 'good',
  update: 'info',
  replace: 'warning',
  delete: 'error',
  discard: 'error',
  read: 'none',
} as const;

/** What the plan changes: how many resources in which way, and each under its parent, open. */
function planPart({ changes }: RunView): Content {
  if (changes === null) return undefined;
  const { counts, resources, unlisted } = changes;
  const content = html`<p>${countsText(counts)}</p>
${resources.length > 0 && changeList(resources)}
${unlisted > 0 && html`<p class="quiet">${unlisted} more are not listed.</p>`}`;
  return section('plan', 'Plan', content);
}

function countsText(counts: PlannedChanges['counts']): string {
  const kinds = Object.keys(looks) as (keyof typeof looks)[];
  const changing = kinds.flatMap((kind) => (counts[kind] ? `${counts[kind]} to ${kind}` : []));
  const same = counts.same ? [`${counts.same} unchanged`] : [];
  return `${[...(changing.length === 0 ? ['No resource changes'] : changing), ...same].join(', ')}.`;
}

function changeList(changes: readonly PlannedChange[]): SafeHtml {
  return html`<ul class="changes">${changes.map(
    ({ kind, title, children }) => html`<li>${
      kind !== 'same' && html`${tag(kind, looks[kind])} `
    }<span class="id">${title}</span>${children.length > 0 && changeList(children)}</li>
`,
  )}</ul>`;
}

function actions(visit: Visit, { id, status, endedAt }: RunView): Content {
  if (!visit.person.mayAct) return undefined;
  const cancel = html`<button class="danger" id="cancel">Cancel the run</button>`;
  const rerun = html`<button id="rerun">Run again</button>`;
  return html`<div class="buttons">
${isCancelable(status) && action(visit, `${runsPath}/${id}/cancel`, cancel)}
${endedAt !== null && action(visit, `${runsPath}/${id}/rerun`, rerun)}
</div>`;
}

function stages(visit: Visit, run: RunView, query: OutcomeQuery): Content {
  const { tasks, declaredTasks, endedAt } = run;
  const rendering: Rendering = { characters: 0 };
  if (tasks.length === 0) {
    const none = endedAt === null ? 'No run task was sent yet.' : 'No run task was sent.';
    return html`<p class="quiet">${declaredTasks.length === 0 ? 'The stack declares no run tasks.' : none}</p>`;
  }
  return Object.values(Stage).map((stage) => {
    const of = tasks.filter((task) => task.stage === stage);
    const parts = of.map((task) => taskPart(task, askAgain(visit, run, task), query, rendering));
    return of.length > 0 && section(stage, stageName(stage), parts);
  });
}

function taskPart(task: TaskView, again: Content, query: OutcomeQuery, rendering: Rendering): SafeHtml {
  const { id, name, status, enforcement, message, url, outcomes } = task;
  return html`<article class="task" aria-labelledby="task-${id}">
<header><h3 id="task-${id}">${name}</h3> ${statusTag(status)} ${tag(enforcement, 'none')}</header>
${message !== null && html`<p>${message}</p>`}
${sending(task)}${again}
${url !== null && html`<p class="link">${outsideLink(url, `More from ${name}`)}</p>`}
${outcomeList({ id: `outcome-${id}`, outcomes, query, rendering })}
</article>
`;
}

/** What to say until the integrator has accepted the request. */
function sending({ acceptedAt, attempts, trouble, endedAt, deadlineAt, supersededAt }: TaskView): Content {
  const until =
    endedAt === null && deadlineAt !== null && html` Its time ends at ${instantText(deadlineAt)}.`;
  const again =
    supersededAt !== null && html`<p class="quiet">It was asked again: this result no longer counts.</p>`;
  if (acceptedAt !== null) {
    return html`${until && html`<p class="quiet">The request was accepted at ${instantText(acceptedAt)}.${until}</p>`}${again}`;
  }
  if (trouble === null) {
    return endedAt === null && html`<p class="quiet">The request is on its way.${until}</p>`;
  }
  const count = attempts === 1 ? 'once' : `${attempts} times`;
  return html`<p class="quiet">The request was sent ${count} and not accepted: ${trouble.replace(/\.$/, '')}.${until}</p>${again}`;
}
