import { enrichedTag, type Outcome } from '@gatehouse/core/run-task';
import {
  type Content,
  html,
  longestMarkdown,
  outsideLink,
  renderMarkdown,
  type SafeHtml,
  select,
} from '@gatehouse/host';
import { enrichedTags, labelsOf, type OutcomeQuery, selectOutcomes, sorts } from './outcome-query.ts';
import { tag, withCode } from './tag.ts';

/** Outcomes of one task that a page shows. Filtering finds the others. */
const mostShown = 250;

/** Outcomes that are shown before the others are folded. */
const mostOpen = 10;

/** Milliseconds that one page may render Markdown: some takes the parser long. Further Markdown is shown as it is. */
const mostRenderedMs = 100;

/** How long a page has rendered Markdown so far. */
export interface Rendering {
  ms: number;
  /** Milliseconds of a clock that only goes forward. Defaults to the process's own. */
  now?: () => number;
}

interface OutcomeListArgs {
  /** Prefix of the ids in the list; unique on its page. */
  id: string;
  outcomes: readonly Outcome[];
  query: OutcomeQuery;
  rendering: Rendering;
}

/** Outcomes, each with its severity and status first, then its other tags and its folded text. */
export function outcomeList({ id, outcomes, query, rendering }: OutcomeListArgs): Content {
  if (outcomes.length === 0) return undefined;
  const chosen = selectOutcomes(outcomes, query);
  if (chosen.length === 0) return html`<p class="quiet">None of its outcomes match the filter.</p>`;
  const left = chosen.length - mostShown;
  // Ids count all reported outcomes, so that an opened text stays open whatever is filtered or added.
  const places = new Map(outcomes.map((outcome, index) => [outcome, index]));
  const items = chosen
    .slice(0, mostShown)
    .map((outcome) => item(outcome, `${id}-${places.get(outcome)}`, rendering));
  const folded = items.slice(mostOpen);
  return html`<ul class="outcomes">${items.slice(0, mostOpen)}</ul>
${folded.length > 0 && html`<details id="${id}-more"><summary>${folded.length} more outcomes</summary><ul class="outcomes">${folded}</ul></details>`}
${left > 0 && html`<p class="quiet">${left} more are not shown. Use the filter to see them.</p>`}`;
}

function item(outcome: Outcome, id: string, rendering: Rendering): SafeHtml {
  const { description, body, url, tags } = outcome;
  const otherTags = Object.entries(tags ?? {}).filter(([name]) => enrichedTag(name) === undefined);
  return html`<li>
<div class="marks">${enriched(outcome, 'severity')}${enriched(outcome, 'status')}</div>
<div class="outcome">
<p class="description">${withCode(description)}</p>
${
  otherTags.length > 0 &&
  html`<dl class="more">${otherTags.map(
    ([name, entries]) =>
      html`<div><dt>${name}</dt><dd>${entries.map(({ label, level }) => html`${tag(label, level)} `)}</dd></div>`,
  )}</dl>`
}
${
  body !== undefined &&
  html`<details id="${id}"><summary>Details<span class="hidden"> of ${withCode(description)}</span></summary>
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
  const rest = body.length > shown.length && html`<p class="quiet">The rest of the text is not shown.</p>`;
  if (rendering.ms > mostRenderedMs) return html`<pre>${shown}</pre>${rest}`;
  const { now = () => performance.now() } = rendering;
  const began = now();
  const rendered = renderMarkdown(shown);
  rendering.ms += now() - began;
  return html`${rendered}${rest}`;
}

/**
 * A form to filter and sort; undefined if there is nothing to choose from.
 *
 * @param place id of the part of the page that has the outcomes, to come back to
 */
export function outcomeFilter(outcomes: readonly Outcome[], query: OutcomeQuery, place: string): Content {
  if (outcomes.length < 2) return undefined;
  const labels = (name: 'severity' | 'status'): [string, string][] => [
    ['', 'all'],
    ...labelsOf(outcomes, name).map((label): [string, string] => [label, label]),
  ];
  return html`<form method="get" action="#${place}" class="choose" aria-label="Filter and sort outcomes">
${select('severity', 'Severity', labels('severity'), query.severity)}
${select('status', 'Status', labels('status'), query.status)}
${select('sort', 'Sorted by', Object.entries(sorts), query.sort)}
<button>Show</button>
</form>`;
}
