import {
  isCancelable,
  isWaiting,
  type ListedRun,
  type PlannedChange,
  type PlannedChanges,
  type PlannedFile,
  RunStatus,
  type RunView,
  type TaskView,
} from '@gatehouse/core/run-task';
import { Stage, visible } from '@gatehouse/core/values';
import {
  ago,
  alarm,
  type Content,
  facts,
  field,
  html,
  instantText,
  outsideLink,
  type PageAnswer,
  type SafeHtml,
  section,
  select,
  table,
} from '@gatehouse/host';
import { mostLogLines } from '../platform/apply-log.ts';
import {
  blockingTasks,
  type DecisionProblems,
  decisionList,
  decisionPart,
  gainedPart,
  retryForm,
  verdictPart,
} from './decisions.ts';
import { outcomeFilter, outcomeList, type Rendering } from './outcome-list.ts';
import { type OutcomeQuery, readOutcomeQuery } from './outcome-query.ts';
import {
  type Answering,
  action,
  idOf,
  mostListed,
  type PageVisit,
  reloading,
  runsPath,
  site,
} from './page.ts';
import type { RunsSource } from './platform-runs.ts';
import { progressLine, stageName } from './progress.ts';
import { statusTag, statusText, tag, verdictTag } from './tag.ts';

/** Groups of statuses that the list can be filtered by. */
const statusGroups: Record<string, readonly string[]> = {
  waiting: [RunStatus.waitingForAcceptance, RunStatus.waitingForConfirmation],
  'in progress': [RunStatus.pending, RunStatus.planning, RunStatus.applying, ...Object.values(Stage)],
  applied: [RunStatus.applied],
  'planned only': [RunStatus.plannedAndFinished],
  failed: [RunStatus.stopped, RunStatus.errored],
  'canceled or discarded': [RunStatus.canceled, RunStatus.discarded],
};

/** The newest runs, of all stacks or of one (`?stack=`), of some statuses (`?status=`), with a text (`?search=`). */
export function runsPage(runs: RunsSource): Answering {
  return async (visit) => {
    const queryText = (name: string) => visit.request.query.get(name)?.trim().replaceAll('\0', '') ?? '';
    const stack = queryText('stack') || undefined;
    const status = queryText('status');
    const search = queryText('search');
    const statuses = Object.hasOwn(statusGroups, status) ? statusGroups[status] : undefined;
    const listed = await runs.list({ stack, statuses, search: search || undefined, limit: mostListed });
    const isFiltered = stack !== undefined || statuses !== undefined || search !== '';
    return site.answer({
      visit,
      title: stack === undefined ? 'Runs' : `Stack ${stack}`,
      isWide: true,
      current: runsPath,
      namespace: stack === undefined ? undefined : listed[0]?.namespace,
      head: reloading,
      lead:
        stack === undefined
          ? html`<p>Newest first.</p>`
          : html`<p>Its runs, newest first. <a href="${runsPath}">All stacks</a></p>`,
      body: html`<form method="get" class="choose" aria-label="Filter runs" role="search">
${field({ name: 'search', label: 'Search', value: undisguised(search), control: { type: 'search', maxlength: 200 } })}
${field({ name: 'stack', label: 'Stack', value: undisguised(stack), control: { autocomplete: 'off', maxlength: 100 } })}
${select('status', 'Status', [['', 'all'], ...Object.keys(statusGroups).map((group): [string, string] => [group, group])], status)}
<button>Show</button>
</form>
<div id="runs" data-news data-live="">${runList(listed, isFiltered)}</div>`,
    });
  };
}

function runList(runs: readonly ListedRun[], isFiltered: boolean): SafeHtml {
  if (runs.length === 0 && isFiltered) {
    return html`<p>No run matches. <a href="${runsPath}">All runs</a></p>`;
  }
  if (runs.length === 0) {
    return html`<p>There are no runs yet. <code>gatehouse deploy -s STACK</code> starts one.</p>`;
  }
  return table(
    ['Run', 'Verdict', 'Who gains', 'Stack', 'Age'],
    runs.map((run) => [
      html`<a id="${run.id}" href="${runsPath}/${run.id}">${titleOf(run)}</a><br><span class="id quiet">${run.id}</span>`,
      html`${statusTag(run.status)}${run.isSpeculative && html`<br><span class="quiet">plans only</span>`}`,
      whoGains(run),
      html`<a href="${runsPath}?stack=${encodeURIComponent(run.stack)}">${run.stack}</a>`,
      html`${ago(Date.parse(run.createdAt), Date.now())}<br><span class="quiet">by ${run.createdBy}</span>`,
    ]),
  );
}

/** The title of a run: its message, or that of the commit, or a summary of its changes. */
function titleOf({ message, commitMessage, summary, stack }: ListedRun): string {
  return message || commitMessage || summary || `Run of ${stack}`;
}

/** Principals that a list names; the page of the run has all. */
const mostGaining = 2;

function whoGains(run: ListedRun): Content {
  const { gains, gained } = run;
  if (gains === null) return html`<span class="quiet">not reviewed</span>`;
  const who = (gained ?? []).slice(1).filter((line) => !line.startsWith(' '));
  const left = who.length - mostGaining;
  return html`${verdictTag(run)}${gains === 'some' && who.slice(0, mostGaining).map((name) => html`<br><span class="quiet">${name}</span>`)}${
    gains === 'some' && left > 0 && html`<br><span class="quiet">${left} more</span>`
  }`;
}

/** A text for a field, which cannot make disguising characters visible: a text with such characters is left out. */
function undisguised(text = ''): string {
  return visible(text) === text ? text : '';
}

/** The page of a run: its progress, and its tasks by stage with their findings. */
export function runPage(runs: RunsSource): Answering {
  return async (visit) => {
    const run = await runs.read(idOf(visit.request));
    return run && renderRun(visit, run);
  };
}

/** Why an action was refused: as a whole (409), or at fields of its form (422). */
interface RefusedAction {
  problem?: string;
  problems?: DecisionProblems;
}

export function renderRun(visit: PageVisit, run: RunView, refused: RefusedAction = {}): PageAnswer {
  const { problem, problems = {} } = refused;
  const query = readOutcomeQuery(visit.request.query);
  const outcomes = run.tasks.flatMap((task) => task.outcomes);
  const isRefused = problem !== undefined || Object.keys(problems).length > 0;
  // The address of a refused form cannot be fetched again, so its page does not update.
  const isLive = run.endedAt === null && !isRefused;
  const page = {
    visit,
    title: titleOf(run),
    current: runsPath,
    namespace: run.namespace,
    head: isLive ? reloading : undefined,
    lead: html`<div id="run-lead" data-news>${runFacts(run)}${actions(visit, run)}</div>`,
    body: html`${problem !== undefined && alarm(problem)}
<div id="run-verdict" data-news class="work">${verdictPart(run)}</div>
<div id="run-progress" data-news${isLive && html` data-live="${runsPath}/${run.id}/events"`}>${progressLine(run)}${waitsBehind(run)}
${run.reason !== null && blockingTasks(run).length === 0 && html`<div class="notice${run.status === 'stopped' || run.status === 'errored' ? ' alarm' : ''}" role="status"><p>${run.reason}</p></div>`}</div>
<div id="run-gained" data-news class="work">${gainedPart(run)}</div>
<div id="run-plan" data-news class="work">${planPart(run)}</div>
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

/** The run whose end this run waits for, and how to end it. */
function waitsBehind({ ahead, stack }: RunView): Content {
  if (ahead === null) return undefined;
  const { id, status } = ahead;
  return html`<div class="notice" role="status"><p>Runs of ${stack} take turns: this one waits behind <a class="id" href="${runsPath}/${id}">${id}</a> (${statusText(status)}).${
    isWaiting(status) && html` It goes on after a decision; <code>gatehouse run discard ${id}</code> ends it.`
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

/** The changes of the plan: counts by kind, and each resource under its parent. */
function planPart({ changes }: RunView): Content {
  if (changes === null) return undefined;
  const { counts, resources, unlisted, files = [], limits = [] } = changes;
  const created = createdIn(resources);
  const isFolded = created.length > mostCreated;
  const shownOpen = isFolded ? withoutCreated(resources) : resources;
  const content = html`<p>${countsText(counts)}</p>
${limits.map((limit) => html`<p class="quiet">${limit}</p>`)}
${shownOpen.length > 0 && changeList(shownOpen)}
${isFolded && createdByKind(created)}
${unlisted > 0 && html`<p class="quiet">${unlisted} more are not listed.</p>`}
${files.length > 0 && filesPart(files)}`;
  return section('plan', 'Plan', content);
}

/** Files that the page lists. The plan's JSON has all. */
const mostFiles = 500;

/** The files that the program could read, and that integrators get. */
function filesPart(files: readonly PlannedFile[]): SafeHtml {
  const lines = files.slice(0, mostFiles).map(({ path, digest }) => `${digest}  ${path}`);
  const unlisted = files.length > mostFiles ? [`and ${files.length - mostFiles} more`] : [];
  return html`<details id="files"><summary>Files planned: ${files.length}, each with its SHA-256</summary>
<pre>${[...lines, ...unlisted].join('\n')}</pre></details>`;
}

function countsText(counts: PlannedChanges['counts']): string {
  const kinds = Object.keys(looks) as (keyof typeof looks)[];
  const changing = kinds.flatMap((kind) => (counts[kind] ? `${counts[kind]} to ${kind}` : []));
  const same = counts.same ? [`${counts.same} unchanged`] : [];
  return `${[...(changing.length === 0 ? ['No resource changes'] : changing), ...same].join(', ')}.`;
}

function changeList(changes: readonly PlannedChange[]): SafeHtml {
  return html`<ul class="changes">${changes.map(
    ({ kind, title, differences = [], children }) => html`<li>${
      kind !== 'same' && html`${tag(kind, looks[kind])} `
    }<span class="id">${title}</span>${
      differences.length > 0 && html`<pre class="differences">${differences.join('\n')}</pre>`
    }${children.length > 0 && changeList(children)}</li>
`,
  )}</ul>`;
}

/** Created resources that are listed one by one. If there are more, as in a first run, they are folded by kind. */
const mostCreated = 8;

function createdIn(changes: readonly PlannedChange[]): PlannedChange[] {
  return changes.flatMap((change) => [
    ...(change.kind === 'create' ? [change] : []),
    ...createdIn(change.children),
  ]);
}

function withoutCreated(changes: readonly PlannedChange[]): PlannedChange[] {
  return changes.flatMap((change) => {
    const { kind } = change;
    const children = withoutCreated(change.children);
    const isShown = children.length > 0 || (kind !== 'create' && kind !== 'same');
    return isShown ? [{ ...change, kind: kind === 'create' ? ('same' as const) : kind, children }] : [];
  });
}

/** The first word of a title is the kind of its resource. */
function createdByKind(created: readonly PlannedChange[]): SafeHtml {
  const kinds = [...Map.groupBy(created, ({ title }) => title.split(' ')[0] ?? title)];
  return html`<ul class="changes">${kinds.map(
    ([kind, sameKind]) =>
      html`<li><details id="created-${kind}"><summary>${tag('create', 'good')} ${sameKind.length} × <span class="id">${kind}</span></summary>${changeList(sameKind.map((change) => ({ ...change, children: [] })))}</details></li>
`,
  )}</ul>`;
}

function actions(visit: PageVisit, { id, status, endedAt }: RunView): Content {
  if (!visit.person.mayAct) return undefined;
  const cancel = html`<button class="danger" id="cancel">Cancel the run</button>`;
  const rerun = html`<button id="rerun">Run again</button>`;
  return html`<div class="buttons">
${isCancelable(status) && action(visit, `${runsPath}/${id}/cancel`, cancel)}
${endedAt !== null && action(visit, `${runsPath}/${id}/rerun`, rerun)}
</div>`;
}

function stages(visit: PageVisit, run: RunView, query: OutcomeQuery): Content {
  const { tasks, declaredTasks, endedAt } = run;
  const rendering: Rendering = { ms: 0 };
  if (tasks.length === 0) {
    const none = endedAt === null ? 'No run task was sent yet.' : 'No run task was sent.';
    return html`<p class="quiet">${declaredTasks.length === 0 ? 'The stack declares no run tasks.' : none}</p>`;
  }
  return Object.values(Stage).map((stage) => {
    const tasksOfStage = tasks.filter((task) => task.stage === stage);
    const parts = tasksOfStage.map((task) => taskPart(task, retryForm(visit, run, task), query, rendering));
    return tasksOfStage.length > 0 && section(stage, stageName(stage), parts);
  });
}

function taskPart(task: TaskView, retry: Content, query: OutcomeQuery, rendering: Rendering): SafeHtml {
  const { id, name, status, enforcement, message, url, outcomes } = task;
  return html`<article class="task" aria-labelledby="task-${id}">
<header><h3 id="task-${id}">${name}</h3> ${statusTag(status)} ${tag(enforcement, 'none')}</header>
${message !== null && html`<p>${message}</p>`}
${sending(task)}${retry}
${url !== null && html`<p class="link">${outsideLink(url, `More from ${name}`)}</p>`}
${outcomeList({ id: `outcome-${id}`, outcomes, query, rendering })}
</article>
`;
}

/** How sending the request goes, until the integrator has accepted it. */
function sending({ acceptedAt, attempts, trouble, endedAt, deadlineAt, supersededAt }: TaskView): Content {
  const until =
    endedAt === null && deadlineAt !== null && html` Its time ends at ${instantText(deadlineAt)}.`;
  const retriedNote =
    supersededAt !== null && html`<p class="quiet">It was retried: this result no longer counts.</p>`;
  if (acceptedAt !== null) {
    return html`${until && html`<p class="quiet">The request was accepted at ${instantText(acceptedAt)}.${until}</p>`}${retriedNote}`;
  }
  if (trouble === null) {
    return endedAt === null && html`<p class="quiet">The request is on its way.${until}</p>`;
  }
  const count = attempts === 1 ? 'once' : `${attempts} times`;
  return html`<p class="quiet">The request was sent ${count} and not accepted: ${trouble.replace(/\.$/, '')}.${until}</p>${retriedNote}`;
}
