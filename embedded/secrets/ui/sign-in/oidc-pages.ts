import { names } from '../../../../core/model/values/wire.ts';
import { html } from '../../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { isWebLink } from '../../../../web/pages/web-link.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { encodePath } from '../ask.ts';
import { openPage, root } from '../frame.ts';
import type { Page, Visit } from '../visit.ts';
import { refusalOfMethod } from './refusal-of-method.ts';
import { signIn } from './sign-in-page.ts';
import { tidyMethod, tidyNamespace } from './tidy.ts';

const segments = [names.vault.uiSegment, names.neutral.uiSegment];

/** To the provider, and back from it. */
export const oidcPages: Page<Visit>[] = [
  { pattern: /^sign-in\/oidc$/, post: begin },
  {
    pattern: new RegExp(`^(?:${segments.join('|')})/auth/(?<method>.+)/oidc/callback$`),
    get: (visit, { method = '' }) => finish(visit, method),
  },
];

async function begin(visit: Visit): Promise<PageAnswer> {
  const { form, origin } = visit.request;
  const [method, role, given] = ['method', 'role', 'namespace'].map((name) => (form.get(name) ?? '').trim());
  const namespace = tidyNamespace(given ?? '');
  const tried = { way: 'oidc' as const, method: tidyMethod(method ?? ''), role };
  const ask = visit.askAs({ namespace });
  const redirectUris = segments.map((segment) => {
    const back = `${origin}/ui/${segment}/auth/${encodePath(tried.method)}/oidc/callback`;
    return namespace === '' ? back : `${back}?${new URLSearchParams({ namespace })}`;
  });
  try {
    // The role allows the URI of its own dialect: which one that is, the service does not say.
    for (const redirectUri of redirectUris) {
      const { data } = await ask({
        operation: 'update',
        path: `auth/${tried.method}/oidc/auth_url`,
        body: {
          redirect_uri: redirectUri,
          client_nonce: visit.clientNonce,
          ...(role === '' ? {} : { role: role ?? '' }),
        },
      });
      const url = String(data?.['auth_url'] ?? '');
      if (isWebLink(url)) return leave(url);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return signIn(visit, namespace, {
      status: error.status,
      text: refusalOfMethod(error, tried.method),
      tried,
    });
  }
  return signIn(visit, namespace, {
    status: 400,
    text: html`The method names no place to sign in at. Either its role does not allow <span class="id">${redirectUris[0]}</span> to come back to, or its provider does not answer; the service’s log says which.`,
    tried,
  });
}

/**
 * Leads to the provider by a page of its own: a redirect would be the form's, and the policy of our pages lets forms
 * lead nowhere else.
 */
function leave(url: string): PageAnswer {
  const { host } = new URL(url);
  const page = openPage({
    title: 'To your provider',
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    body: html`<div class="narrow"><p>You sign in at <strong>${host}</strong> and come back here.</p>
<p><a class="button primary" href="${url}">Go on to ${host}</a></p></div>`,
  });
  return pageAnswer(page);
}

async function finish(visit: Visit, method: string): Promise<PageAnswer> {
  const { query } = visit.request;
  const [state = '', inState] = (query.get('state') ?? '').split(',ns=');
  const namespace = tidyNamespace(inState ?? query.get('namespace') ?? '');
  const answer = ['code', 'error', 'iss'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  try {
    const { auth } = await visit.askAs({ namespace })({
      operation: 'read',
      path: `auth/${tidyMethod(method)}/oidc/callback`,
      query: { ...Object.fromEntries(answer), state, client_nonce: visit.clientNonce },
    });
    visit.signIn({ token: String(auth?.['client_token']), namespace });
    return seeOther(root);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return signIn(visit, namespace, {
      status: error.status,
      text: refusalOfMethod(error, method),
      tried: { way: 'oidc', method },
    });
  }
}
