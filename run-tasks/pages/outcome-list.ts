import { enrichedTag, type Outcome } from '../../core/run-task/outcome.ts';
import { attributes, type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { longestMarkdown, renderMarkdown } from '../../web/pages/markdown.ts';
import { isWebLink } from '../../web/pages/web-link.ts';
import { enrichedTags, labelsOf, type OutcomeQuery, selectOutcomes, sorts } from './outcome-query.ts';
import { tag } from './tag.ts';

/** Outcomes of one task that a page shows. Filtering brings the others up. */
const mostShown = 250;

/** Characters of Markdown that one page renders: its time is the server's. What is beyond stands there as it is. */
const mostRendered = 300_000;

/** How much of its Markdown a page has rendered so far. */
export interface Rendering {
  characters: number;
}

export interface OutcomeListArgs {
  /** What the ids in the list begin with; unique on its page. */
  id: string;
  outcomes: readonly Outcome[];
  query: OutcomeQuery;
  rendering: Rendering;
}

/** Outcomes, each with its severity and status in front, its other tags, its text folded away. */
export function outcomeList({ id, outcomes, query, rendering }: OutcomeListArgs): Content {
  if (outcomes.length === 0) return undefined;
  const chosen = selectOutcomes(outcomes, query);
  if (chosen.length === 0) return html`<p class="quiet">None of its outcomes is of the kind asked for.</p>`;
  const left = chosen.length - mostShown;
  // Whatever is filtered or added: what one opened is found again by its place among those reported.
  const places = new Map(outcomes.map((outcome, index) => [outcome, index]));
  return html`<ul class="outcomes">${chosen
    .slice(0, mostShown)
    .map((outcome) => item(outcome, `${id}-${places.get(outcome)}`, rendering))}</ul>
${left > 0 && html`<p class="quiet">${left} more are not shown. Filter to see them.</p>`}`;
}

function item(outcome: Outcome, id: string, rendering: Rendering): SafeHtml {
  const { description, body, url, tags } = outcome;
  const others = Object.entries(tags ?? {}).filter(([name]) => enrichedTag(name) === undefined);
  return html`<li>
<div class="marks">${enriched(outcome, 'severity')}${enriched(outcome, 'status')}</div>
<div class="outcome">
<p class="description">${description}</p>
${
  others.length > 0 &&
  html`<dl class="more">${others.map(
    ([name, entries]) =>
      html`<div><dt>${name}</dt><dd>${entries.map(({ label, level }) => html`${tag(label, level)} `)}</dd></div>`,
  )}</dl>`
}
${
  body !== undefined &&
  html`<details id="${id}"><summary>Details<span class="hidden"> of ${description}</span></summary>
<div class="prose">${prose(body, rendering)}</div></details>`
}
${url !== undefined && html`<p class="link">${outsideLink(url, 'More about it')}</p>`}
</div>
</li>`;
}

function enriched(outcome: Outcome, name: 'severity' | 'status'): Content {
  return enrichedTags(outcome, name).map(
    ({ label, level }) => html`<span><span class="hidden">${name}: </span>${tag(label, level)}</span>`,
  );
}

function prose(body: string, rendering: Rendering): Content {
  const shown = body.slice(0, longestMarkdown);
  rendering.characters += shown.length;
  const rest = body.length > shown.length && html`<p class="quiet">The text goes on from here.</p>`;
  return html`${rendering.characters > mostRendered ? html`<pre>${shown}</pre>` : renderMarkdown(shown)}${rest}`;
}

/** A link to somewhere else; what is no web address stands there as text. */
export function outsideLink(url: string, text: string): SafeHtml {
  if (!isWebLink(url)) return html`<span class="id">${url}</span>`;
  return html`<a href="${url}" rel="noopener noreferrer nofollow">${text}</a>`;
}

/** A form to filter and sort; undefined where there is nothing to choose from. */
export function outcomeFilter(outcomes: readonly Outcome[], query: OutcomeQuery): Content {
  if (outcomes.length < 2) return undefined;
  const labels = (name: 'severity' | 'status'): [string, string][] => [
    ['', 'all'],
    ...labelsOf(outcomes, name).map((label): [string, string] => [label, label]),
  ];
  return html`<form method="get" class="choose" aria-label="Filter and sort outcomes">
${select('severity', 'Severity', labels('severity'), query.severity)}
${select('status', 'Status', labels('status'), query.status)}
${select('sort', 'Sorted by', Object.entries(sorts), query.sort)}
<button>Show</button>
</form>`;
}

/** One of many, on one line. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
): SafeHtml {
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    ([one, text]) =>
      html`<option${attributes({ value: one, selected: one.toLowerCase() === value.toLowerCase() })}>${text}</option>`,
  )}</select></div>`;
}
