import { names } from '../../../core/model/values/wire.ts';
import { isWebLink } from '../../../web/pages/content.ts';
import { html } from '../../../web/pages/html.ts';
import { leavePage, tidyMethod } from '../../../web/pages/sign-in-forms.ts';
import type { PageAnswer } from '../../../web/pages/site.ts';
import { Refusal } from '../protocol/refusal.ts';
import { encodePath, isTokenRefused, refusalText } from './ask.ts';
import { type Page, root, site, type Visit } from './page.ts';
import { type SignInProblem, signIn, tidyNamespace } from './sign-in-page.ts';

const segments = [names.vault.uiSegment, names.neutral.uiSegment];

/** The sign-in page's forms, and the return from a provider. */
export const signInSteps: Page<Visit>[] = [
  { pattern: /^sign-in\/token$/, post: byToken },
  { pattern: /^sign-in\/jwt$/, post: byJwt },
  { pattern: /^sign-in\/oidc$/, post: toProvider },
  {
    pattern: new RegExp(`^(?:${segments.join('|')})/auth/(?<method>.+)/oidc/callback$`),
    get: (visit, { method = '' }) => fromProvider(visit, method),
  },
];

function formOf({ request: { form } }: Visit) {
  const value = (name: string) => (form.get(name) ?? '').trim();
  const role = value('role');
  return {
    value,
    namespace: tidyNamespace(value('namespace')),
    method: tidyMethod(value('method')),
    role,
    /** Omitted for the method's default role. */
    roleField: (role === '' ? {} : { role }) as Record<string, string>,
  };
}

/** Shows the sign-in page again with a refusal; rethrows other errors. */
async function again(
  visit: Visit,
  namespace: string,
  error: unknown,
  tried: SignInProblem['tried'],
): Promise<PageAnswer> {
  if (!(error instanceof Refusal)) throw error;
  return await signIn(visit, namespace, { status: error.status, text: reasonOf(error, tried), tried });
}

/** Explains a refused sign-in. For an unknown method the service only says `permission denied`. */
function reasonOf(refusal: Refusal, { way, method }: SignInProblem['tried']): string {
  if (refusal.errors[0] === 'missing role') return 'The method has no default role: enter one.';
  if (!isTokenRefused(refusal)) return refusalText(refusal);
  if (way === 'token')
    return 'The service does not know this token, or does not accept it from your address.';
  return `Denied: there is no auth method at auth/${method}, or it does not accept your address.`;
}

async function byToken(visit: Visit): Promise<PageAnswer> {
  const { value, namespace } = formOf(visit);
  const token = value('token');
  try {
    await visit.askAs({ token, namespace })({ operation: 'read', path: 'auth/token/lookup-self' });
  } catch (error) {
    // A valid token may be forbidden to look itself up.
    const isGood = error instanceof Refusal && error.status === 403 && !isTokenRefused(error);
    if (!isGood) return await again(visit, namespace, error, { way: 'token' });
  }
  visit.signIn({ token, namespace });
  return site.seeOther(root);
}

/** Signs in with a JWT (interface.md B-1). */
async function byJwt(visit: Visit): Promise<PageAnswer> {
  const { value, namespace, method, role, roleField } = formOf(visit);
  try {
    const { auth } = await visit.askAs({ namespace })({
      operation: 'update',
      path: `auth/${method}/login`,
      body: { jwt: value('jwt'), ...roleField },
    });
    // The path may be that of another type of method.
    if (typeof auth?.['client_token'] !== 'string') throw new Refusal(400, 'the method does not accept JWTs');
    visit.signIn({ token: auth['client_token'], namespace });
    return site.seeOther(root);
  } catch (error) {
    return await again(visit, namespace, error, { way: 'jwt', method, role });
  }
}

async function toProvider(visit: Visit): Promise<PageAnswer> {
  const { namespace, method, role, roleField } = formOf(visit);
  const tried = { way: 'oidc' as const, method, role };
  const redirectUris = segments.map((segment) => {
    const back = `${visit.request.origin}/ui/${segment}/auth/${encodePath(method)}/oidc/callback`;
    return namespace === '' ? back : `${back}?${new URLSearchParams({ namespace })}`;
  });
  try {
    // The role allows one dialect's URI; the service does not say which.
    for (const redirectUri of redirectUris) {
      const { data } = await visit.askAs({ namespace })({
        operation: 'update',
        path: `auth/${method}/oidc/auth_url`,
        body: { redirect_uri: redirectUri, client_nonce: visit.clientNonce, ...roleField },
      });
      const url = String(data?.['auth_url'] ?? '');
      if (isWebLink(url)) return leavePage(site, url);
    }
  } catch (error) {
    return await again(visit, namespace, error, tried);
  }
  return await signIn(visit, namespace, {
    status: 400,
    text: html`The method returned no sign-in URL. Either its role does not allow the redirect URI <span class="id">${redirectUris[0]}</span>, or its provider does not respond. The service’s log says which.`,
    tried,
  });
}

async function fromProvider(visit: Visit, method: string): Promise<PageAnswer> {
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
    return site.seeOther(root);
  } catch (error) {
    return await again(visit, namespace, error, { way: 'oidc', method });
  }
}
