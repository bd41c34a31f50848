import type { ListedRun } from '../../core/run-task/run.ts';
import { instantText, table } from '../../web/pages/content.ts';
import { html, type SafeHtml } from '../../web/pages/html.ts';
import { type Answering, mostListed, reloading, runsPath, site } from './page.ts';
import type { RunsSource } from './platform-runs.ts';
import { statusTag } from './tag.ts';

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
