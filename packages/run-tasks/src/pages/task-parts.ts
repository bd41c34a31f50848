import { count } from '@gatehouse/core/review';
import { type Outcome, type RunView, TagLevel, type TaskView } from '@gatehouse/core/run-task';
import { type Content, html, instantText, outsideLink, type SafeHtml } from '@gatehouse/host';
import { fold } from './fold.ts';
import { outcomeFilter, outcomeList, type Rendering } from './outcome-list.ts';
import type { OutcomeQuery } from './outcome-query.ts';
import { stageName } from './progress.ts';
import { statusTag, tag } from './tag.ts';
import { blockingTasks, levelOf, repeatsRow, repeatsVerdict } from './verdict.ts';

const tasksId = 'tasks';

/**
 * The run tasks with their outcomes, folded. Rows of access that the run itself has are not listed again.
 *
 * @param isOpen whether the outcomes were just filtered
 */
export function tasksPart(run: RunView, query: OutcomeQuery, isOpen: boolean): Content {
  const { tasks, declaredTasks, endedAt } = run;
  if (tasks.length === 0) {
    const none = endedAt === null ? 'No run task was sent yet.' : 'No run task was sent.';
    return html`<p class="quiet">${declaredTasks.length === 0 ? 'The stack declares no run tasks.' : none}</p>`;
  }
  const ownOutcomes = new Map(
    tasks.map((task) => [task, task.outcomes.filter((outcome) => !repeatsRow(outcome, run))]),
  );
  const rendering: Rendering = { ms: 0 };
  const listed = [...ownOutcomes.values()].flat();
  const content = html`${outcomeFilter(listed, query, tasksId)}
${tasks.map((task) => taskPart(task, run, { outcomes: ownOutcomes.get(task) ?? [], query, rendering }))}`;
  return fold({
    id: tasksId,
    title: 'Run tasks',
    hint: `${count(tasks.length, 'task')}; ${levelsText(listed)}${tasks.some((task) => task.endedAt === null) ? ' so far' : ''}`,
    content,
    isOpen,
  });
}

/** `1 error, 2 warnings`, then what is neither. */
function levelsText(outcomes: readonly Outcome[]): string {
  const byLevel = Map.groupBy(outcomes, levelOf);
  const of = (level: TagLevel) => byLevel.get(level)?.length ?? 0;
  const rest = of(TagLevel.info) + of(TagLevel.none);
  const counts = [
    ...(of(TagLevel.error) > 0 ? [count(of(TagLevel.error), 'error')] : []),
    ...(of(TagLevel.warning) > 0 ? [count(of(TagLevel.warning), 'warning')] : []),
    ...(rest > 0 ? [count(rest, 'other outcome')] : []),
  ];
  return counts.length === 0 ? 'no findings' : counts.join(', ');
}

interface ListedOutcomes {
  outcomes: readonly Outcome[];
  query: OutcomeQuery;
  rendering: Rendering;
}

function taskPart(task: TaskView, run: RunView, { outcomes, ...listing }: ListedOutcomes): SafeHtml {
  const { id, name, stage, status, enforcement, message, url } = task;
  const rows = task.outcomes.length - outcomes.length;
  const isAbove = blockingTasks(run).includes(task);
  return html`<article class="task" aria-labelledby="task-${id}">
<header><h3 id="task-${id}">${name}</h3> ${statusTag(status)} ${tag(enforcement, 'none')} <span class="quiet">${stageName(stage)}</span></header>
${message !== null && !isAbove && !repeatsVerdict(message, run) && html`<p>${message}</p>`}
${rows > 0 && html`<p class="quiet">${count(rows, 'row')} of access ${rows === 1 ? 'is' : 'are'} listed above.</p>`}
${sending(task)}
${url !== null && html`<p class="link">${outsideLink(url, `More from ${name}`)}</p>`}
${outcomeList({ id: `outcome-${id}`, outcomes, ...listing })}
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
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  return html`<p class="quiet">The request was sent ${times} and not accepted: ${trouble.replace(/\.$/, '')}.${until}</p>${retriedNote}`;
}
