import { names } from '@gatehouse/core/values';
import {
  alarm,
  attributes,
  type Content,
  field,
  foldedForm,
  html,
  isWebLink,
  leavePage,
  type Method,
  methodField,
  methodsIn,
  noticeOf,
  type PageAnswer,
  plainText,
  providerList,
  providerSignInPath,
  roleField,
  type SafeHtml,
  secret,
  tidyMethod,
} from '@gatehouse/host';
import { RequestRefusal } from '../protocol/refusal.ts';
import { type Ask, encodePath, isTokenRefused, refusalText } from './ask.ts';
import { namespaceText, type Page, root, site, type UiVisit } from './page.ts';
import { activeMessages, announcements } from './shown-messages.ts';

const segments = [names.vault.uiSegment, names.neutral.uiSegment];

export const signInPages: Page<UiVisit>[] = [
  { pattern: /^sign-in$/, get: (visit) => signIn(visit, visit.request.query.get('namespace') ?? '') },
  { pattern: /^sign-in\/token$/, post: byToken },
  { pattern: /^sign-in\/jwt$/, post: byJwt },
  { pattern: /^sign-in\/oidc$/, post: toProvider },
  {
    pattern: new RegExp(`^(?:${segments.join('|')})/auth/(?<method>.+)/oidc/callback$`),
    get: (visit, { method = '' }) => fromProvider(visit, method),
  },
];

/** Values to fill in again: never a token. */
interface TriedSignIn {
  by: 'oidc' | 'jwt' | 'token' | 'namespace';
  method?: string;
  role?: string;
}

interface RefusedSignIn {
  status: number;
  text: Content;
  tried: TriedSignIn;
}

const signInPath = '/ui/sign-in';

const notices = {
  'signed-out': 'You are signed out, and your token is revoked.',
  'signed-out-only':
    'You are signed out here. Your token could not be revoked: it is valid until it expires.',
  ended: 'Your session has ended because your token is no longer valid. Sign in again.',
};

/** A namespace without the slashes and blanks that people type around it. */
function tidyNamespace(typed: string): string {
  return typed.replace(/^[/\s]+|[/\s]+$/g, '');
}

async function signIn(visit: UiVisit, typedNamespace: string, problem?: RefusedSignIn): Promise<PageAnswer> {
  const namespace = tidyNamespace(typedNamespace);
  const ask = visit.askAs({ namespace });
  try {
    const [messages, listed] = await Promise.all([activeMessages(ask, false), listedMethods(ask)]);
    const kinds = visit.kindsIn(namespace);
    const methods = listed.map((method) => ({ ...method, kind: kinds.get(method.path) }));
    return render(visit, { namespace, above: announcements(messages), methods, problem });
  } catch (error) {
    if (!(error instanceof RequestRefusal)) throw error;
    // No such namespace.
    const { status } = error;
    const tried = { by: 'namespace' as const };
    return render(visit, { namespace, methods: [], problem: { status, text: refusalText(error), tried } });
  }
}

async function listedMethods(ask: Ask): Promise<Method[]> {
  return methodsIn((await ask({ operation: 'read', path: 'sys/internal/ui/mounts' })).data);
}

interface MethodsView {
  namespace: string;
  above?: Content;
  methods: Method[];
  problem?: RefusedSignIn;
}

function render(visit: UiVisit, { namespace, above, methods, problem }: MethodsView): PageAnswer {
  const { formToken, request } = visit;
  const hidden = html`${formToken}<input type="hidden" name="namespace" value="${namespace}">`;
  const all = methods.filter(({ type }) => type === 'oidc');
  const jwtMethods = methods.filter(({ type }) => type === 'jwt');
  const tried = (of: TriedSignIn['by']) => (problem?.tried.by === of ? problem.tried : undefined);
  const oidc = tried('oidc');
  const isOffered = all.some(({ path }) => path === oidc?.method);
  return site.answer(
    {
      title: 'Sign in',
      namespace,
      above,
      lead: html`<p>${
        namespace === '' ? 'To the secrets service.' : html`To the namespace ${namespaceText(namespace)}.`
      }</p>`,
      body: html`<div class="narrow work">
${problem === undefined ? noticeOf(notices, request.query) : alarm(problem.text)}
${
  all.length > 0 &&
  html`<section aria-labelledby="providers"><h2 id="providers">With your organization</h2>
${providerList({
  methods: all,
  searchPath: signInPath,
  searchFields: { namespace },
  search: request.query.get('search')?.trim() ?? '',
  hidden,
  ...(isOffered && oidc?.method !== undefined && { tried: { ...oidc, method: oidc.method } }),
})}</section>`
}
<section class="ways" aria-labelledby="other-ways"><h2 id="other-ways">${all.length > 0 ? 'Other methods' : 'Methods'}</h2>
${foldedForm(
  'An identity provider that is not listed',
  providerSignInPath,
  oidc !== undefined && !isOffered,
  [
    hidden,
    methodField('oidc', isOffered ? undefined : oidc?.method),
    roleField('oidc-role', isOffered ? undefined : oidc),
    html`<p><button class="primary">Continue</button></p>`,
  ],
)}
${jwtForm(hidden, jwtMethods, tried('jwt'))}
${foldedForm('A token of this service', `${signInPath}/token`, tried('token') !== undefined, [
  hidden,
  field({ name: 'token', label: 'Token', control: secret }),
  html`<p><button class="primary">Sign in with the token</button></p>`,
])}
<details${attributes({ open: tried('namespace') !== undefined })}><summary>Another namespace</summary>
<form class="fields" method="get" action="${signInPath}">
${field({ name: 'namespace', label: 'Namespace', value: namespace, hint: 'Leave it empty for the root namespace.', control: { class: 'short', ...plainText } })}
<p><button>Go there</button></p>
</form></details>
</section>
</div>`,
    },
    problem?.status,
  );
}

function jwtForm(hidden: Content, methods: readonly Method[], tried?: TriedSignIn): SafeHtml {
  return foldedForm('A JSON Web Token', `${signInPath}/jwt`, tried !== undefined, [
    hidden,
    methodField('jwt', tried?.method ?? methods[0]?.path, { known: methods }),
    roleField('jwt-role', tried),
    field({
      name: 'jwt',
      label: 'JSON Web Token',
      hint: 'For example that of a service account. It is neither shown nor kept.',
      control: secret,
    }),
    html`<p><button class="primary">Sign in with the JWT</button></p>`,
  ]);
}

function formOf({ request: { form } }: UiVisit) {
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
async function retryPage(
  visit: UiVisit,
  namespace: string,
  error: unknown,
  tried: RefusedSignIn['tried'],
): Promise<PageAnswer> {
  if (!(error instanceof RequestRefusal)) throw error;
  return await signIn(visit, namespace, { status: error.status, text: reasonOf(error, tried), tried });
}

/** Explains a refused sign-in. For an unknown method the service only says `permission denied`. */
function reasonOf(refusal: RequestRefusal, { by, method }: RefusedSignIn['tried']): string {
  if (refusal.errors[0] === 'missing role') return 'The method has no default role: enter one.';
  if (!isTokenRefused(refusal)) return refusalText(refusal);
  if (by === 'token') return 'The service does not know this token, or does not accept it from your address.';
  return `Denied: there is no auth method at auth/${method}, or it does not accept your address.`;
}

async function byToken(visit: UiVisit): Promise<PageAnswer> {
  const { value, namespace } = formOf(visit);
  const token = value('token');
  try {
    await visit.askAs({ token, namespace })({ operation: 'read', path: 'auth/token/lookup-self' });
  } catch (error) {
    // A valid token may be forbidden to look itself up.
    const isGood = error instanceof RequestRefusal && error.status === 403 && !isTokenRefused(error);
    if (!isGood) return await retryPage(visit, namespace, error, { by: 'token' });
  }
  visit.signIn({ token, namespace });
  return site.seeOther(root);
}

async function byJwt(visit: UiVisit): Promise<PageAnswer> {
  const { value, namespace, method, role, roleField } = formOf(visit);
  try {
    const { auth } = await visit.askAs({ namespace })({
      operation: 'update',
      path: `auth/${method}/login`,
      body: { jwt: value('jwt'), ...roleField },
    });
    // The path may be that of another type of method.
    if (typeof auth?.['client_token'] !== 'string')
      throw new RequestRefusal(400, 'the method does not accept JWTs');
    visit.signIn({ token: auth['client_token'], namespace });
    return site.seeOther(root);
  } catch (error) {
    return await retryPage(visit, namespace, error, { by: 'jwt', method, role });
  }
}

async function toProvider(visit: UiVisit): Promise<PageAnswer> {
  const { namespace, method, role, roleField } = formOf(visit);
  const tried = { by: 'oidc' as const, method, role };
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
    return await retryPage(visit, namespace, error, tried);
  }
  return await signIn(visit, namespace, {
    status: 400,
    text: html`The method returned no sign-in URL. Either its role does not allow the redirect URI <span class="id">${redirectUris[0]}</span>, or its provider does not respond. The service’s log says which.`,
    tried,
  });
}

async function fromProvider(visit: UiVisit, method: string): Promise<PageAnswer> {
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
    return await retryPage(visit, namespace, error, { by: 'oidc', method });
  }
}
