import { count } from '@gatehouse/core/review';
import { isWaiting, type ListedRun, RunStatus, type RunView } from '@gatehouse/core/run-task';
import { Stage, shortened, visible } from '@gatehouse/core/values';
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
  select,
  table,
} from '@gatehouse/host';
import { mostLogLines } from '../platform/apply-log.ts';
import { type DecisionProblems, decisionList, decisionPart } from './decisions.ts';
import { fold } from './fold.ts';
import { readOutcomeQuery } from './outcome-query.ts';
import { type Answering, idOf, mostListed, type PageVisit, reloading, runsPath, site } from './page.ts';
import { planPart } from './plan-part.ts';
import type { RunsSource } from './platform-runs.ts';
import { progressLine } from './progress.ts';
import { statusTag, verdictTag } from './tag.ts';
import { tasksPart } from './task-parts.ts';
import { accessList, gainedTitle, namesIn, verdictPart } from './verdict.ts';

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
    ['Run', 'Status', 'Verdict', 'Stack', 'Age'],
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
  const names = gains === 'some' ? namesIn((gained ?? []).slice(1)) : [];
  return html`${verdictTag(run)}${
    names.length > 0 && html`<br><span class="quiet">${shortened(names, mostGaining)}</span>`
  }`;
}

/** A text for a field, which cannot make disguising characters visible: a text with such characters is left out. */
function undisguised(text = ''): string {
  return visible(text) === text ? text : '';
}

/** The page of a run: the verdict, what it waits for, its stages; below, all that is folded. */
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
  const { query } = visit.request;
  const isRefused = problem !== undefined || Object.keys(problems).length > 0;
  // The address of a refused form cannot be fetched again, so its page does not update.
  const isLive = run.endedAt === null && !isRefused;
  const page = {
    visit,
    title: titleOf(run),
    isWide: true,
    current: runsPath,
    namespace: run.namespace,
    head: isLive ? reloading : undefined,
    lead: html`<div id="run-lead" data-news>${runFacts(run)}</div>`,
    body: html`${problem !== undefined && alarm(problem)}
<div class="first">
<div id="run-verdict" data-news>${verdictPart(run)}</div>
<div id="run-decision" data-news>${decisionPart(visit, run, problems)}</div>
</div>
<div id="run-progress" data-news${isLive && html` data-live="${runsPath}/${run.id}/events"`}>${progressLine(run)}</div>
<div class="folds">
<div id="run-decisions" data-news>${decisionList(run)}</div>
<div id="run-gained" data-news>${gainedPart(run)}</div>
<div id="run-plan" data-news>${planPart(run)}</div>
<div id="run-tasks" data-news>${tasksPart(run, readOutcomeQuery(query), query.has('sort'))}</div>
<div id="run-log" data-news>${applyLogPart(run)}</div>
</div>`,
  };
  return site.answer(page, problem !== undefined ? 409 : Object.keys(problems).length > 0 ? 422 : 200);
}

function runFacts(run: RunView): SafeHtml {
  const { id, stack, status, isSpeculative, hasChanges, summary, createdBy, createdAt } = run;
  const { commit, commitUrl, hasUncommittedChanges } = run;
  const change = hasChanges === null ? 'not planned yet' : hasChanges ? (summary ?? 'some') : 'none';
  const rows: [string, Content][] = [
    ['Status', statusTag(status)],
    ['Stack', html`<a href="${runsPath}?stack=${encodeURIComponent(stack)}">${stack}</a>`],
    ['Change', html`${change}${isSpeculative && '; the run only plans'}`],
    ['Asked by', html`${createdBy}, ${instantText(createdAt)}`],
    [
      'Commit',
      commit !== null &&
        html`${commitLink(commit, commitUrl)}${hasUncommittedChanges && ', with uncommitted changes'}`,
    ],
    ['Run', html`<span class="id">${id}</span>`],
  ];
  return facts(rows, 'inline');
}

/** The commit by the first characters of its name, as git shortens it; a link if its page is on the web. */
function commitLink(commit: string, url: string | null): Content {
  const name = html`<span class="id">${commit.slice(0, 10)}</span>`;
  return url === null ? name : outsideLink(url, commit.slice(0, 10), name);
}

/** Lines of a list that is open while the run waits for a person, because decisions depend on it. */
const mostOpen = 12;

/** Who gains and who loses access by the plan. */
function gainedPart(run: RunView): Content {
  const { gains, gained, lost, status } = run;
  const list = (id: string, heading: string, lines: readonly string[] = []) =>
    lines.length > 0 &&
    fold({
      id,
      title: heading,
      hint: shortened(namesIn(lines), 3),
      content: accessList(lines),
      isOpen: isWaiting(status) && lines.length <= mostOpen,
    });
  return html`${list('gained', gainedTitle(gains), gained?.slice(1))}${list('lost', 'Who loses', lost ?? [])}`;
}

function applyLogPart({ applyLog }: RunView): Content {
  if (applyLog.length === 0) return undefined;
  const isFull = applyLog.length >= mostLogLines;
  const content = html`<ol class="changes">${applyLog.map((line) => html`<li class="id">${line}</li>`)}</ol>
${isFull && html`<p class="quiet">Further lines are not kept.</p>`}`;
  return fold({ id: 'apply-log', title: 'Log of the apply', hint: count(applyLog.length, 'line'), content });
}
