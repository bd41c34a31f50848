import { runPagesCallback, runPagesIssuerCallback } from '@gatehouse/core/environment';
import { decisionVerbs, type RunDecision } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { assetsPath, findAsset, type PageAnswer, providerSignInPath } from '@gatehouse/host';
import { eventStream, type Route } from '../route.ts';
import { readChoice } from './decisions.ts';
import { deliveriesPage, deliveryPage, renderDelivery } from './delivery-pages.ts';
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
import { notHere, SignInPages, type SignInPagesArgs } from './sign-in-pages.ts';
import type { DeliveriesSource } from './stored-deliveries.ts';
import { type WatchedSource, watchedStackPage, watchPage } from './watch-pages.ts';

export interface PageRoutesArgs extends SignInPagesArgs {
  runs: RunsSource;
  deliveries: DeliveriesSource;
  watched: WatchedSource;
}

/** Bytes. The largest form has a token: one of the service, or an ID token with 200 groups. */
const largestForm = 64 * 1024;

/** The pages of platform and integrator, below `/ui/`. */
export function pageRoutes(args: PageRoutesArgs): Route[] {
  const { runs, deliveries, watched } = args;
  const signIn = new SignInPages(args);
  const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
  const show = (path: string, answer: Answering) =>
    get(path, (request) => signIn.show(request, path, answer));
  const post = (path: string, answer: Route['answer']): Route => ({
    method: 'POST',
    path,
    maxBytes: largestForm,
    answer,
  });
  const act = (path: string, answer: Answering, needs?: 'reading') =>
    post(path, (request) => signIn.act(request, answer, needs));
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
    get(signInPath, (request) => signIn.signInPage(request)),
    post(signInPath, (request) => signIn.signIn(request)),
    post(providerSignInPath, (request) => signIn.toProvider(request)),
    get(runPagesCallback, (request) => signIn.fromProvider(request)),
    post(runPagesCallback, (request) => signIn.formFromProvider(request)),
    post(issuerSignInPath, (request) => signIn.toIssuer(request)),
    get(runPagesIssuerCallback, (request) => signIn.fromIssuer(request)),
    post('/ui/sign-out', (request) => signIn.signOut(request)),
    show(runsPath, runsPage(runs)),
    show(`${runsPath}/:id`, runPage(runs)),
    show(`${runsPath}/:id/events`, async ({ request, person }) => {
      const id = idOf(request);
      if ((await runs.read(id)) === undefined) return undefined;
      request.countAs(person.id, 'stream');
      return eventStream(runs.events(id));
    }),
    ...decisionVerbs.map(decision),
    act(`${runsPath}/:id/rerun`, async (visit) => {
      const run = await runs.read(idOf(visit.request));
      if (run === undefined) return undefined;
      const rerun = runs.rerun(run.id, visit.person.name).then(({ id }) => `${runsPath}/${id}`);
      return await redirected(rerun, async (problem) => renderRun(visit, run, { problem }));
    }),
    show(watchPath, watchPage(watched)),
    show(`${watchPath}/:id`, watchedStackPage(watched)),
    show(deliveriesPath, deliveriesPage(deliveries)),
    show(`${deliveriesPath}/:id`, deliveryPage(deliveries)),
    act(`${deliveriesPath}/:id/retry`, async (visit) => {
      const id = idOf(visit.request);
      const sent = deliveries.retry(id).then(() => `${deliveriesPath}/${id}`);
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
