import {
  alarm,
  type Content,
  facts,
  html,
  instantText,
  outsideLink,
  type PageAnswer,
  type SafeHtml,
  section,
  select,
  table,
} from '@gatehouse/host';
import { DeliveryStatus } from '../integrator/delivery-store.ts';
import { outcomeFilter, outcomeList } from './outcome-list.ts';
import { readOutcomeQuery } from './outcome-query.ts';
import {
  type Answering,
  action,
  deliveriesPath,
  idOf,
  mostListed,
  type PageVisit,
  reloading,
  site,
} from './page.ts';
import { stageName } from './progress.ts';
import type {
  CallbackView,
  DeliveriesSource,
  DeliveryView,
  DeliveryWithCallbacksView,
} from './stored-deliveries.ts';
import { statusTag, statusText } from './tag.ts';

const statuses = Object.values(DeliveryStatus);

/** The newest requests that the integrator accepted, of all statuses or of one (`?status=`). */
export function deliveriesPage(deliveries: DeliveriesSource): Answering {
  return async (visit) => {
    const status = statuses.find((known) => known === visit.request.query.get('status'));
    const listed = await deliveries.list({ status, limit: mostListed });
    return site.answer({
      visit,
      title: 'Deliveries',
      current: deliveriesPath,
      head: reloading,
      lead: html`<p>Run task requests that were received, and their progress.</p>`,
      body: html`<form method="get" class="choose" aria-label="Filter deliveries">
${select('status', 'Status', [['', 'all'], ...statuses.map((known) => [known, statusText(known)] as const)], status ?? '')}
<button>Show</button>
</form>
<div id="deliveries" data-news data-live="">${deliveryList(listed)}</div>`,
    });
  };
}

function deliveryList(deliveries: readonly DeliveryView[]): SafeHtml {
  if (deliveries.length === 0) return html`<p>There are no deliveries.</p>`;
  return table(
    ['Task result', 'Stage', 'Verdict', 'Status', 'Received'],
    deliveries.map((delivery) => {
      const { id, endpoint, stage, status, verdict, taskResultId, receivedAt } = delivery;
      const names = [delivery.organizationName, delivery.workspaceName];
      const name = names.filter((part) => part !== null).join(' / ');
      return [
        html`<a id="delivery-${id}" href="${deliveriesPath}/${id}">${name || taskResultId}</a><br><span class="id quiet">${taskResultId}</span>`,
        html`${stageName(stage)}<br><span class="quiet">${endpoint}</span>`,
        verdict === null ? html`<span class="quiet">none yet</span>` : statusTag(verdict),
        // What a task decided stands out, and not that it was delivered.
        status === DeliveryStatus.delivered ? html`<span class="quiet">delivered</span>` : statusTag(status),
        instantText(receivedAt),
      ];
    }),
  );
}

/** The page of a request: what was sent, the result of its review, and the platform's answers. */
export function deliveryPage(deliveries: DeliveriesSource): Answering {
  return async (visit) => {
    const delivery = await deliveries.read(idOf(visit.request));
    return delivery && renderDelivery(visit, delivery);
  };
}

/** @param problem why an action was refused; the status is then 409 */
export function renderDelivery(
  visit: PageVisit,
  delivery: DeliveryWithCallbacksView,
  problem?: string,
): PageAnswer {
  const { taskResultId, workspaceName, callbacks, endedAt, error } = delivery;
  const page = {
    visit,
    title: workspaceName ?? taskResultId,
    current: deliveriesPath,
    head: endedAt === null ? reloading : undefined,
    lead: html`<div id="delivery-lead" data-news>${deliveryFacts(delivery)}${retryForm(visit, delivery)}</div>`,
    body: html`${problem !== undefined && alarm(problem)}
<div id="delivery" data-news class="work"${endedAt === null && html` data-live=""`}>
${error !== null && html`<div class="notice alarm" role="status"><p>${error}</p></div>`}
${section('result', 'Result', resultPart(visit, delivery))}
${section('callbacks', 'Callbacks', callbackList(callbacks))}
${section(
  'request',
  'Request',
  html`<details id="payload"><summary>What the platform sent, without its token</summary><pre>${withoutToken(delivery.request)}</pre></details>`,
)}
</div>`,
  };
  return site.answer(page, problem === undefined ? 200 : 409);
}

function resultPart({ request }: PageVisit, { result }: DeliveryWithCallbacksView): SafeHtml {
  if (result === null) return html`<p class="quiet">There is no result yet.</p>`;
  const { status, message, url, outcomes } = result;
  const query = readOutcomeQuery(request.query);
  return html`<p>${statusTag(status)} ${message}</p>
${url !== undefined && html`<p class="link">${outsideLink(url, 'More about it')}</p>`}
${outcomeFilter(outcomes, query, 'result')}
${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0 } })}`;
}

function deliveryFacts(delivery: DeliveryWithCallbacksView): SafeHtml {
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
  return facts(rows, 'slim');
}

/** A button that sends the result again, while its platform has not accepted it. */
function retryForm(visit: PageVisit, { id, status }: DeliveryWithCallbacksView): Content {
  if (!visit.person.mayAct || status !== 'reviewed') return undefined;
  const button = html`<button id="retry">Retry sending the result</button>`;
  return html`<div class="buttons">${action(visit, `${deliveriesPath}/${id}/retry`, button)}</div>`;
}

function callbackList(callbacks: readonly CallbackView[]): SafeHtml {
  if (callbacks.length === 0) return html`<p class="quiet">No callback was sent yet.</p>`;
  return table(
    ['Reported', 'Answer', 'What went wrong', 'At'],
    callbacks.map(({ at, status, httpStatus, error }) => [
      statusTag(status),
      httpStatus === null ? 'no answer' : `answered ${httpStatus}`,
      error,
      instantText(at),
    ]),
  );
}

/** A request as indented JSON. Its token was removed before it was stored, and is left out here in any case. */
function withoutToken(request: unknown): string {
  return (
    JSON.stringify(request, (name, value: unknown) => (name === 'access_token' ? undefined : value), 2) ?? ''
  );
}
