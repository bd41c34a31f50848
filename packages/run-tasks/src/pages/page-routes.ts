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
  return [
    ...['/', '/ui', '/ui/'].map((path) => get(path, async () => site.seeOther(runsPath))),
    get(`${assetsPath}/:name`, async ({ params }) => ({
      status: 200,
      ...(findAsset(params['name'] ?? '') ?? notHere),
    })),
    ...signInRoutes(signIn),
    ...runRoutes(signIn, runs),
    ...watchRoutes(signIn, watched),
    ...deliveryRoutes(signIn, deliveries),
  ];
}

function signInRoutes(signIn: SignInPages): Route[] {
  return [
    get(signInPath, (request) => signIn.signInPage(request)),
    post(signInPath, (request) => signIn.signIn(request)),
    post(providerSignInPath, (request) => signIn.toProvider(request)),
    get(runPagesCallback, (request) => signIn.fromProvider(request)),
    post(runPagesCallback, (request) => signIn.formFromProvider(request)),
    post(issuerSignInPath, (request) => signIn.toIssuer(request)),
    get(runPagesIssuerCallback, (request) => signIn.fromIssuer(request)),
    post('/ui/sign-out', (request) => signIn.signOut(request)),
  ];
}

function runRoutes(signIn: SignInPages, runs: RunsSource): Route[] {
  return [
    show(signIn, runsPath, runsPage(runs)),
    show(signIn, `${runsPath}/:id`, runPage(runs)),
    show(signIn, `${runsPath}/:id/events`, async ({ request, person }) => {
      const id = idOf(request);
      if ((await runs.read(id)) === undefined) return undefined;
      request.countAs(person.id, 'stream');
      return eventStream(runs.events(id));
    }),
    ...decisionVerbs.map((verb) => decisionRoute(signIn, runs, verb)),
    act(signIn, `${runsPath}/:id/rerun`, async (visit) => {
      const run = await runs.read(idOf(visit.request));
      if (run === undefined) return undefined;
      const rerun = runs.rerun(run.id, visit.person.name).then(({ id }) => `${runsPath}/${id}`);
      return await redirected(rerun, async (problem) => renderRun(visit, run, { problem }));
    }),
  ];
}

function decisionRoute(signIn: SignInPages, runs: RunsSource, verb: RunDecision['verb']): Route {
  const decide: Answering = async (visit) => {
    const run = await runs.read(idOf(visit.request));
    if (run === undefined) return undefined;
    const read = readChoice(verb, visit);
    if ('problems' in read) return renderRun(visit, run, { problems: read.problems });
    const decided = runs.decide(run.id, read.choice).then(() => `${runsPath}/${run.id}`);
    return await redirected(decided, async (problem) => {
      const current = await runs.read(run.id);
      return current && renderRun(visit, current, { problem });
    });
  };
  // Accepting needs the policy that the stack names, and no other.
  return act(signIn, `${runsPath}/:id/${verb}`, decide, verb === 'accept' ? 'reading' : undefined);
}

function watchRoutes(signIn: SignInPages, watched: WatchedSource): Route[] {
  return [
    show(signIn, watchPath, watchPage(watched)),
    show(signIn, `${watchPath}/:id`, watchedStackPage(watched)),
  ];
}

function deliveryRoutes(signIn: SignInPages, deliveries: DeliveriesSource): Route[] {
  return [
    show(signIn, deliveriesPath, deliveriesPage(deliveries)),
    show(signIn, `${deliveriesPath}/:id`, deliveryPage(deliveries)),
    act(signIn, `${deliveriesPath}/:id/retry`, async (visit) => {
      const id = idOf(visit.request);
      const sent = deliveries.retry(id).then(() => `${deliveriesPath}/${id}`);
      return await redirected(sent, async (problem) => {
        const delivery = await deliveries.read(id);
        return delivery && renderDelivery(visit, delivery, problem);
      });
    }),
  ];
}

function get(path: string, answer: Route['answer']): Route {
  return { method: 'GET', path, answer };
}

function post(path: string, answer: Route['answer']): Route {
  return { method: 'POST', path, maxBytes: largestForm, answer };
}

/** A page for people who are signed in. */
function show(signIn: SignInPages, path: string, answer: Answering): Route {
  return get(path, (request) => signIn.show(request, path, answer));
}

/** A form for people who are signed in. @param needs as for `SignInPages.act` */
function act(signIn: SignInPages, path: string, answer: Answering, needs?: 'reading'): Route {
  return post(path, (request) => signIn.act(request, answer, needs));
}

/** Redirects to where an action leads, or answers with the reason why the action is refused. */
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
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}${given === undefined ? '' : `: ${given}`}.`;
  return fix === undefined ? sentence : `${sentence} ${fix}`;
}
