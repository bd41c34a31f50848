import { alarm, noticeOf } from '../../../web/pages/content.ts';
import { field } from '../../../web/pages/field.ts';
import { attributes, type Content, html, type SafeHtml } from '../../../web/pages/html.ts';
import {
  type Method,
  methodField,
  methodForm,
  methodsIn,
  plainText,
  providerSignInPath,
  roleField,
  secret,
  way,
} from '../../../web/pages/sign-in-forms.ts';
import type { PageAnswer } from '../../../web/pages/site.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Ask, refusalText } from './ask.ts';
import { namespaceText, type Page, site, type Visit } from './page.ts';
import { activeMessages, announcements } from './shown-messages.ts';

/** Values to fill in again: never a token. */
interface Tried {
  way: 'oidc' | 'jwt' | 'token' | 'namespace';
  method?: string;
  role?: string;
}

export interface SignInProblem {
  status: number;
  text: Content;
  tried: Tried;
}

/** The sign-in page: announcements, the listed methods, and forms for all others. */
export const signInPage: Page<Visit> = {
  pattern: /^sign-in$/,
  get: (visit) => signIn(visit, visit.request.query.get('namespace') ?? ''),
};

const signInPath = '/ui/sign-in';

const notices = {
  'signed-out': 'You are signed out, and your token is revoked.',
  'signed-out-only':
    'You are signed out here. Your token could not be revoked: it is valid until it expires.',
  ended: 'Your session has ended because your token is no longer valid. Sign in again.',
};

/** A namespace without the slashes and blanks that people type around it. */
export function tidyNamespace(given: string): string {
  return given.replace(/^[/\s]+|[/\s]+$/g, '');
}

/** The sign-in page of a namespace, with the problem of the last attempt. */
export async function signIn(visit: Visit, given: string, problem?: SignInProblem): Promise<PageAnswer> {
  const namespace = tidyNamespace(given);
  const ask = visit.askAs({ namespace });
  try {
    const [messages, methods] = await Promise.all([activeMessages(ask, false), listedMethods(ask)]);
    return render(visit, { namespace, above: announcements(messages), methods, problem });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // No such namespace.
    const { status } = error;
    const tried = { way: 'namespace' as const };
    return render(visit, { namespace, methods: [], problem: { status, text: refusalText(error), tried } });
  }
}

async function listedMethods(ask: Ask): Promise<Method[]> {
  return methodsIn((await ask({ operation: 'read', path: 'sys/internal/ui/mounts' })).data);
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
  const tried = (way: Tried['way']) => (problem?.tried.way === way ? problem.tried : undefined);
  const oidc = tried('oidc');
  const isOffered = offered.some(({ path }) => path === oidc?.method);
  return site.answer(
    {
      title: 'Sign in',
      above,
      lead: html`<p>${
        namespace === '' ? 'To the secrets service.' : html`To the namespace ${namespaceText(namespace)}.`
      }</p>`,
      body: html`<div class="narrow work">
${problem === undefined ? noticeOf(notices, request.query) : alarm(problem.text)}
${
  offered.length > 0 &&
  html`<section aria-labelledby="providers"><h2 id="providers">With your organisation</h2>
${offered.map((method, index) => methodForm(method, index, hidden, oidc?.method === method.path ? oidc : undefined))}</section>`
}
<section class="ways" aria-labelledby="other-ways"><h2 id="other-ways">${offered.length > 0 ? 'Another way' : 'How'}</h2>
${way('An identity provider that is not listed', providerSignInPath, oidc !== undefined && !isOffered, [
  hidden,
  methodField('oidc', isOffered ? undefined : oidc?.method),
  roleField('oidc-role', isOffered ? undefined : oidc),
  html`<p><button class="primary">Continue</button></p>`,
])}
${jwtForm(hidden, jwtMethods, tried('jwt'))}
${way('A token of this service', `${signInPath}/token`, tried('token') !== undefined, [
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

function jwtForm(hidden: Content, methods: readonly Method[], tried?: Tried): SafeHtml {
  return way('A JSON Web Token', `${signInPath}/jwt`, tried !== undefined, [
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
