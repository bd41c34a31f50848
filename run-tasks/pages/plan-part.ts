import type { PlannedChange, PlannedChanges, RunView } from '../../core/run-task/run.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
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

/** What the plan changes: how many resources in which way, and each under its parent, open. */
export function planPart({ changes }: RunView): Content {
  if (changes === null) return undefined;
  const { counts, resources, unlisted } = changes;
  return html`<section aria-labelledby="plan"><h2 id="plan">Plan</h2>
<p>${countsText(counts)}</p>
${resources.length > 0 && changeList(resources)}
${unlisted > 0 && html`<p class="quiet">${unlisted} more are not listed.</p>`}</section>`;
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
