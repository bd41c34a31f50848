import type { PlannedChange, PlannedChanges, PlannedFile, RunView } from '@gatehouse/core/run-task';
import { type Content, html, type SafeHtml } from '@gatehouse/host';
import { fold } from './fold.ts';
import { tag } from './tag.ts';

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
export function planPart({ changes }: RunView): Content {
  if (changes === null) return undefined;
  const { counts, resources, unlisted, files = [], limits = [] } = changes;
  const created = createdIn(resources);
  const isByKind = created.length > mostCreated;
  const listed = isByKind ? withoutCreated(resources) : resources;
  const content = html`${limits.map((limit) => html`<p class="quiet">${limit}</p>`)}
${listed.length > 0 && changeList(listed)}
${isByKind && createdByKind(created)}
${unlisted > 0 && html`<p class="quiet">${unlisted} more are not listed.</p>`}
${files.length > 0 && filesPart(files)}`;
  return fold({ id: 'plan', title: 'Plan', hint: countsText(counts), content });
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
  return [...(changing.length === 0 ? ['No resource changes'] : changing), ...same].join(', ');
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
