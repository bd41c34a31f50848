import { instantText } from '../../web/pages/content.ts';
import { select } from '../../web/pages/field.ts';
import { html, type SafeHtml } from '../../web/pages/html.ts';
import { DeliveryStatus } from '../integrator/delivery.ts';
import { type Answering, deliveriesPath, reloading, site } from './page.ts';
import { stageName } from './progress.ts';
import { statusTag, statusText } from './tag.ts';
import type { DeliveriesSource, DeliveryView } from './views.ts';

const mostListed = 100;

const statuses = Object.values(DeliveryStatus);

/** The newest requests that the integrator accepted, of all statuses or of one (`?status=`). */
export function deliveriesPage(deliveries: DeliveriesSource): Answering {
  return async (visit) => {
    const status = statuses.find((one) => one === visit.request.query.get('status'));
    const listed = await deliveries.list({ status, limit: mostListed });
    return site.answer({
      visit,
      title: 'Deliveries',
      current: deliveriesPath,
      head: reloading,
      lead: html`<p>Run task requests that were received, and their progress.</p>`,
      body: html`<form method="get" class="choose" aria-label="Filter deliveries">
${select('status', 'Status', [['', 'all'], ...statuses.map((one) => [one, statusText(one)] as const)], status ?? '')}
<button>Show</button>
</form>
<div id="deliveries" data-news data-live="">${deliveryList(listed)}</div>`,
    });
  };
}

function deliveryList(deliveries: readonly DeliveryView[]): SafeHtml {
  if (deliveries.length === 0) return html`<p>There are no deliveries.</p>`;
  return html`<table class="listed">
<thead><tr><th scope="col">Task result</th><th scope="col">Stage</th><th scope="col">Status</th><th scope="col">Received</th></tr></thead>
<tbody>${deliveries.map(
    ({
      id,
      endpoint,
      stage,
      status,
      verdict,
      taskResultId,
      workspaceName,
      organizationName,
      receivedAt,
    }) => html`<tr>
<th scope="row"><a id="delivery-${id}" href="${deliveriesPath}/${id}">${[organizationName, workspaceName].filter((one) => one !== null).join(' / ') || taskResultId}</a><br><span class="id quiet">${taskResultId}</span></th>
<td>${stageName(stage)}<br><span class="quiet">${endpoint}</span></td>
<td>${verdict !== null && html`${statusTag(verdict)} `}${status === 'delivered' ? html`<span class="quiet">delivered</span>` : statusTag(status)}</td>
<td>${instantText(receivedAt)}</td>
</tr>
`,
  )}</tbody></table>`;
}
