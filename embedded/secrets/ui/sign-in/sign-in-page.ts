import { type Content, html } from '../../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { type Ask, refusalText } from '../ask.ts';
import { alarm, noticeOf, openPage } from '../frame.ts';
import { activeMessages, announcements } from '../shown-messages.ts';
import type { Page, Visit } from '../visit.ts';
import { type Method, methodForm } from './method-form.ts';
import { jwtForm, namespaceForm, oidcForm, tokenForm } from './other-ways.ts';
import { tidyNamespace } from './tidy.ts';

/** What went wrong with a sign-in. */
export interface SignInProblem {
  status: number;
  text: Content;
  /** What was filled in, and may stand there again: never a token. */
  tried: { way: 'oidc' | 'jwt' | 'token' | 'namespace'; method?: string; role?: string };
}

/** The sign-in page: announcements, the methods that anyone may see, and boxes for all other ways. */
export const signInPage: Page<Visit> = {
  pattern: /^sign-in$/,
  get: (visit) => signIn(visit, visit.request.query.get('namespace') ?? ''),
};

/** The sign-in page of a namespace, with what went wrong before. */
export async function signIn(visit: Visit, given: string, problem?: SignInProblem): Promise<PageAnswer> {
  const namespace = tidyNamespace(given);
  const ask = visit.askAs({ namespace });
  try {
    const [messages, methods] = await Promise.all([activeMessages(ask, false), listedMethods(ask)]);
    return render(visit, { namespace, above: announcements(messages), methods, problem });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Such a namespace is not there.
    const { status } = error;
    const tried = { way: 'namespace' as const };
    return render(visit, { namespace, methods: [], problem: { status, text: refusalText(error), tried } });
  }
}

async function listedMethods(ask: Ask): Promise<Method[]> {
  const { data } = await ask({ operation: 'read', path: 'sys/internal/ui/mounts' });
  const mounts = (data as { auth: Record<string, { type: string; description: string }> }).auth;
  return Object.entries(mounts).map(([path, { type, description }]) => ({
    path: path.replace(/\/$/, ''),
    type,
    description,
  }));
}

interface SignInView {
  namespace: string;
  above?: Content;
  methods: Method[];
  problem?: SignInProblem;
}

function render(visit: Visit, { namespace, above, methods, problem }: SignInView): PageAnswer {
  const { formToken, request } = visit;
  const hidden = html`${formToken}<input type="hidden" name="namespace" value="${namespace}">`;
  const offered = methods.filter(({ type }) => type === 'oidc');
  const jwtMethods = methods.filter(({ type }) => type === 'jwt');
  const tried = problem?.tried;
  const page = openPage({
    title: 'Sign in',
    above,
    lead: html`<p>${
      namespace === ''
        ? 'To the secrets service.'
        : html`To the namespace <span class="id">${namespace}</span>.`
    }</p>`,
    body: html`<div class="narrow work">
${problem === undefined ? noticeOf(request.query) : alarm(problem.text)}
${
  offered.length > 0 &&
  html`<section aria-labelledby="providers"><h2 id="providers">With your organisation</h2>
${offered.map((method, index) => methodForm(method, index, hidden, tried?.way === 'oidc' && tried.method === method.path ? tried : undefined))}</section>`
}
<section class="ways" aria-labelledby="other-ways"><h2 id="other-ways">${offered.length > 0 ? 'Another way' : 'How'}</h2>
${oidcForm(hidden, tried?.way === 'oidc' && !offered.some(({ path }) => path === tried.method) ? tried : undefined)}
${jwtForm(hidden, jwtMethods, tried?.way === 'jwt' ? tried : undefined)}
${tokenForm(hidden, tried?.way === 'token')}
${namespaceForm(namespace, tried?.way === 'namespace')}
</section>
</div>`,
  });
  return pageAnswer(page, problem?.status);
}
