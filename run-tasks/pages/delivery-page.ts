import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { instantText } from '../../web/pages/instant-text.ts';
import { alarm, deliveriesPath, pageAnswer, reloading, signedInPage } from './frame.ts';
import { outcomeFilter, outcomeList, outsideLink } from './outcome-list.ts';
import { readOutcomeQuery } from './outcome-query.ts';
import { stageName } from './progress.ts';
import { statusTag } from './status-tag.ts';
import type { CallbackView, DeliveriesSource, DeliveryWithCallbacksView } from './views.ts';
import { type Answering, idOf, type Visit } from './visit.ts';

/** One request that came in: what was sent, what the review said, what the platform answered. */
export function deliveryPage(deliveries: DeliveriesSource): Answering {
  return async (visit) => {
    const delivery = await deliveries.read(idOf(visit.request));
    return delivery && pageAnswer(renderDelivery(visit, delivery));
  };
}

/** @param problem why what was asked for was not done */
export function renderDelivery(
  visit: Visit,
  delivery: DeliveryWithCallbacksView,
  problem?: Content,
): SafeHtml {
  const { taskResultId, workspaceName, result, callbacks, endedAt, error } = delivery;
  const query = readOutcomeQuery(visit.request.query);
  return signedInPage(visit, {
    title: workspaceName ?? taskResultId,
    current: deliveriesPath,
    head: endedAt === null ? reloading : undefined,
    lead: html`<div id="delivery-lead" data-news>${facts(delivery)}${redelivery(visit, delivery)}</div>`,
    body: html`${problem !== undefined && alarm(problem)}
<div id="delivery" data-news class="work"${endedAt === null && html` data-live=""`}>
${error !== null && html`<div class="notice alarm" role="status"><p>${error}</p></div>`}
<section aria-labelledby="result"><h2 id="result">Result</h2>
${
  result === null
    ? html`<p class="quiet">There is none yet.</p>`
    : html`<p>${statusTag(result.status)} ${result.message}</p>
${result.url !== undefined && html`<p class="link">${outsideLink(result.url, 'More about it')}</p>`}
${outcomeFilter(result.outcomes, query)}
${outcomeList({ id: 'outcome', outcomes: result.outcomes, query, rendering: { characters: 0 } })}`
}
</section>
<section aria-labelledby="callbacks"><h2 id="callbacks">Callbacks</h2>${callbackList(callbacks)}</section>
<section aria-labelledby="request"><h2 id="request">Request</h2>
<details id="payload"><summary>What the platform sent, without its token</summary><pre>${withoutToken(delivery.request)}</pre></details></section>
</div>`,
  });
}

function facts(delivery: DeliveryWithCallbacksView): SafeHtml {
  const { id, endpoint, stage, status, taskResultId, runId, runAppUrl, organizationName } = delivery;
  const run = runId !== null && html`<span class="id">${runId}</span>`;
  const rows: [string, Content][] = [
    ['Status', statusTag(status)],
    ['Stage', stageName(stage)],
    ['Endpoint', endpoint],
    ['Organization', organizationName ?? undefined],
    ['Run', runAppUrl === null ? run : html`${run} ${outsideLink(runAppUrl, 'Open it')}`],
    ['Task result', html`<span class="id">${taskResultId}</span>`],
    ['Received', instantText(delivery.receivedAt)],
    ['Deadline', instantText(delivery.deadline)],
    ['Ended', delivery.endedAt === null ? undefined : instantText(delivery.endedAt)],
    ['Delivery', html`<span class="id">${id}</span>`],
  ];
  return html`<dl class="facts slim">${rows
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

/** Only a result that its platform has not taken can be sent again. */
function redelivery({ person, formToken }: Visit, { id, status }: DeliveryWithCallbacksView): Content {
  if (!person.mayAct || status !== 'reviewed') return undefined;
  return html`<div class="buttons"><form method="post" action="${deliveriesPath}/${id}/redeliver">${formToken}<button id="redeliver">Send the result again</button></form></div>`;
}

function callbackList(callbacks: readonly CallbackView[]): SafeHtml {
  if (callbacks.length === 0) return html`<p class="quiet">None was made yet.</p>`;
  return html`<table class="listed">
<thead><tr><th scope="col">Said</th><th scope="col">Answer</th><th scope="col">What went wrong</th><th scope="col">At</th></tr></thead>
<tbody>${callbacks.map(
    ({ at, status, httpStatus, error }) => html`<tr>
<th scope="row">${statusTag(status)}</th>
<td>${httpStatus === null ? 'no answer' : `answered ${httpStatus}`}</td>
<td>${error}</td>
<td>${instantText(at)}</td>
</tr>
`,
  )}</tbody></table>`;
}

/** JSON for people. The token is none of it already; nobody shall have to rely on that. */
function withoutToken(request: unknown): string {
  return (
    JSON.stringify(request, (name, value: unknown) => (name === 'access_token' ? undefined : value), 2) ?? ''
  );
}
