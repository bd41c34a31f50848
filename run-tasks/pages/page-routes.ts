import { GatehouseError } from '../../core/model/values/errors.ts';
import { findAsset } from '../../web/pages/asset.ts';
import { eventStream } from '../event-stream.ts';
import type { Route, RouteAnswer, RouteRequest } from '../route.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage, renderDelivery } from './delivery-page.ts';
import { Door, type DoorArgs } from './door.ts';
import { assetsPath, deliveriesPath, pageAnswer, runsPath, seeOther, signInPath } from './frame.ts';
import { notHere } from './refusals.ts';
import { renderRun, runPage } from './run-page.ts';
import { runsPage } from './runs-page.ts';
import type { DeliveriesSource, RunsSource } from './views.ts';
import { type Answering, idOf } from './visit.ts';

export interface PageRoutesArgs extends DoorArgs {
  runs: RunsSource;
  deliveries: DeliveriesSource;
}

/** Bytes that a form may have: a token, and room. */
const largestForm = 64 * 1024;

/** The pages of platform and integrator, below `/ui/`. One signs in with a token of the secrets service. */
export function pageRoutes(args: PageRoutesArgs): Route[] {
  const { runs, deliveries } = args;
  const door = new Door(args);
  const get = (path: string, answer: Answering): Route => ({
    method: 'GET',
    path,
    answer: (request) => door.show(request, path, answer),
  });
  const act = (path: string, answer: Answering): Route => ({
    method: 'POST',
    path,
    maxBytes: largestForm,
    answer: (request) => door.act(request, answer),
  });
  return [
    ...['/', '/ui', '/ui/'].map(
      (path): Route => ({ method: 'GET', path, answer: async () => seeOther(runsPath) }),
    ),
    { method: 'GET', path: `${assetsPath}/:name`, answer: asset },
    { method: 'GET', path: signInPath, answer: (request) => door.signInPage(request) },
    { method: 'POST', path: signInPath, maxBytes: largestForm, answer: (request) => door.signIn(request) },
    {
      method: 'POST',
      path: '/ui/sign-out',
      maxBytes: largestForm,
      answer: (request) => door.signOut(request),
    },
    get(runsPath, runsPage(runs)),
    get(`${runsPath}/:id`, runPage(runs)),
    get(`${runsPath}/:id/events`, async ({ request }) => {
      const id = idOf(request);
      return (await runs.read(id)) && eventStream(runs.events(id));
    }),
    act(`${runsPath}/:id/cancel`, async (visit) => {
      const id = idOf(visit.request);
      const problem = await done(runs.cancel(id, visit.person.name));
      if (problem === undefined) return seeOther(`${runsPath}/${id}`);
      const run = await runs.read(id);
      return run && pageAnswer(renderRun(visit, run, runs.isCancelable(run), problem), 409);
    }),
    act(`${runsPath}/:id/rerun`, async (visit) => {
      const run = await runs.read(idOf(visit.request));
      if (run === undefined) return undefined;
      let next = '';
      const problem = await done(
        runs.rerun(run.id, visit.person.name).then(({ id }) => {
          next = id;
        }),
      );
      if (problem === undefined) return seeOther(`${runsPath}/${next}`);
      return pageAnswer(renderRun(visit, run, runs.isCancelable(run), problem), 409);
    }),
    get(deliveriesPath, deliveriesPage(deliveries)),
    get(`${deliveriesPath}/:id`, deliveryPage(deliveries)),
    act(`${deliveriesPath}/:id/redeliver`, async (visit) => {
      const id = idOf(visit.request);
      const problem = await done(deliveries.redeliver(id));
      if (problem === undefined) return seeOther(`${deliveriesPath}/${id}`);
      const delivery = await deliveries.read(id);
      return delivery && pageAnswer(renderDelivery(visit, delivery, problem), 409);
    }),
  ];
}

/** Undefined where it was done; why not, where it is refused. */
async function done(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof GatehouseError) return inSentences(error);
    throw error;
  }
}

function inSentences({ parts: { what, given, fix } }: GatehouseError): string {
  const first = `${what.charAt(0).toUpperCase()}${what.slice(1)}${given === undefined ? '' : `: ${given}`}.`;
  return fix === undefined ? first : `${first} ${fix}`;
}

async function asset({ params }: RouteRequest): Promise<RouteAnswer> {
  const found = findAsset(params['name'] ?? '');
  return found === undefined ? notHere : { status: 200, headers: { ...found.headers }, body: found.body };
}
