import { mapContent } from '../../core/review/map/map-page.ts';
import { mapStyle } from '../../core/review/map/map-svg.ts';
import { html, SafeHtml } from '../../web/pages/html.ts';
import { type Answering, idOf, runsPath, site } from './page.ts';
import type { RunsSource } from './platform-runs.ts';

export function accessMapPath(run: string): string {
  return `${runsPath}/${run}/access-map`;
}

/** What appears and what goes by the plan of a run, as a drawing and as a table. */
export function accessMapPage(runs: RunsSource): Answering {
  return async (visit) => {
    const id = idOf(visit.request);
    const [run, map] = [await runs.read(id), await runs.accessMap(id)];
    return (
      run &&
      map &&
      site.answer({
        visit,
        title: 'Access map',
        current: runsPath,
        namespace: run.namespace,
        isWide: true,
        head: html`<link rel="stylesheet" href="${accessMapPath(id)}/style.css">`,
        lead: html`<p>What the plan of <a href="${runsPath}/${id}">${id}</a> of ${run.stack} changes, for whom, and what is reached from
there. It draws what policies say, whichever of their rules decides.</p>`,
        body: new SafeHtml(mapContent(map)),
      })
    );
  };
}

/** The style of a drawing: pages allow none within them. */
export function accessMapStyle(runs: RunsSource): Answering {
  return async ({ request }) => {
    const map = await runs.accessMap(idOf(request));
    const headers = { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' };
    return map && { status: 200, headers, body: mapStyle(map, '.map') };
  };
}
