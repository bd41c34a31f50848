import { runPagesCallback, runPagesIssuerCallback } from '@gatehouse/core/environment';
import { decisionVerbs, type RunDecision } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { assetsPath, findAsset, type PageAnswer, providerSignInPath } from '@gatehouse/host';
import { eventStream, type Route } from '../route.ts';
import { readChoice } from './decisions.ts';
import { deliveriesPage, deliveryPage, renderDelivery } from './delivery-pages.ts';
import { type DoorArgs, notHere, SignInPages } from './door.ts';
import {
  type Answering,
  deliveriesPath,
  idOf,
  issuerSignInPath,
  runsPath,
  signInPath,
  site,
  watchPath,
} from './page.ts';
import type { RunsSource } from './platform-runs.ts';
import { renderRun, runPage, runsPage } from './run-pages.ts';
import type { DeliveriesSource } from './stored-deliveries.ts';
import { type WatchedSource, watchedStackPage, watchPage } from './watch-pages.ts';

interface PageRoutesArgs extends DoorArgs {
  runs: RunsSource;
  deliveries: DeliveriesSource;
  watched: WatchedSource;
}

/** Bytes. The largest form has a token: one of the service, or an ID token with 200 groups. */
const largestForm = 64 * 1024;

/** The pages of platform and integrator, below `/ui/`. */
export function pageRoutes(args: PageRoutesArgs): Route[] {
  const { runs, deliveries, watched } = args;
  const door = new SignInPages(args);
  const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
  const show = (path: string, answer: Answering) => get(path, (request) => door.show(request, path, answer));
  const post = (path: string, answer: Route['answer']): Route => ({
    ...{ method: 'POST', path, maxBytes: largestForm, answer },
  });
  const act = (path: string, answer: Answering, needs?: 'reading') =>
    post(path, (request) => door.act(request, answer, needs));
  const decision = (verb: RunDecision['verb']) =>
    act(
      `${runsPath}/:id/${verb}`,
      async (visit) => {
        const run = await runs.read(idOf(visit.request));
        if (run === undefined) return undefined;
        const read = readChoice(verb, visit);
        if ('problems' in read) return renderRun(visit, run, { problems: read.problems });
        const decided = runs.decide(run.id, read.choice).then(() => `${runsPath}/${run.id}`);
        return await redirected(decided, async (problem) => {
          const now = await runs.read(run.id);
          return now && renderRun(visit, now, { problem });
        });
      },
      // Accepting takes the policy that the stack names, and no other.
      verb === 'accept' ? 'reading' : undefined,
    );
  return [
    ...['/', '/ui', '/ui/'].map((path) => get(path, async () => site.seeOther(runsPath))),
    get(`${assetsPath}/:name`, async ({ params }) => ({
      status: 200,
      ...(findAsset(params['name'] ?? '') ?? notHere),
    })),
    get(signInPath, (request) => door.signInPage(request)),
    post(signInPath, (request) => door.signIn(request)),
    post(providerSignInPath, (request) => door.toProvider(request)),
    get(runPagesCallback, (request) => door.fromProvider(request)),
    post(runPagesCallback, (request) => door.formFromProvider(request)),
    post(issuerSignInPath, (request) => door.toIssuer(request)),
    get(runPagesIssuerCallback, (request) => door.fromIssuer(request)),
    post('/ui/sign-out', (request) => door.signOut(request)),
    show(runsPath, runsPage(runs)),
    show(`${runsPath}/:id`, runPage(runs)),
    show(`${runsPath}/:id/events`, async ({ request }) => {
      const id = idOf(request);
      return (await runs.read(id)) && eventStream(runs.events(id));
    }),
    ...decisionVerbs.map(decision),
    act(`${runsPath}/:id/rerun`, async (visit) => {
      const run = await runs.read(idOf(visit.request));
      if (run === undefined) return undefined;
      const begun = runs.rerun(run.id, visit.person.name).then(({ id }) => `${runsPath}/${id}`);
      return await redirected(begun, async (problem) => renderRun(visit, run, { problem }));
    }),
    show(watchPath, watchPage(watched)),
    show(`${watchPath}/:id`, watchedStackPage(watched)),
    show(deliveriesPath, deliveriesPage(deliveries)),
    show(`${deliveriesPath}/:id`, deliveryPage(deliveries)),
    act(`${deliveriesPath}/:id/redeliver`, async (visit) => {
      const id = idOf(visit.request);
      const sent = deliveries.redeliver(id).then(() => `${deliveriesPath}/${id}`);
      return await redirected(sent, async (problem) => {
        const delivery = await deliveries.read(id);
        return delivery && renderDelivery(visit, delivery, problem);
      });
    }),
  ];
}

/** Goes where an action leads, or answers with the reason why it is refused. */
async function redirected(
  action: Promise<string>,
  refused: (problem: string) => Promise<PageAnswer | undefined>,
): Promise<PageAnswer | undefined> {
  try {
    return site.seeOther(await action);
  } catch (error) {
    if (error instanceof GatehouseError) return await refused(inSentences(error));
    throw error;
  }
}

function inSentences({ parts: { what, given, fix } }: GatehouseError): string {
  const first = `${what.charAt(0).toUpperCase()}${what.slice(1)}${given === undefined ? '' : `: ${given}`}.`;
  return fix === undefined ? first : `${first} ${fix}`;
}
