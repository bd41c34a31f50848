import { alarm } from '../../web/pages/content.ts';
import { field } from '../../web/pages/field.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import {
  type Method,
  methodField,
  methodForm,
  providerSignInPath,
  roleField,
  secret,
  way,
} from '../../web/pages/sign-in-forms.ts';
import type { PageAnswer } from '../../web/pages/site.ts';
import { signInPath, site } from './page.ts';

/** Why a sign-in was refused, and where on the page that stands. */
export interface SignInProblem {
  status: number;
  text: Content;
  at: 'page' | 'method' | 'role' | 'token';
  /** What was tried, to fill in again: never a token. */
  method?: string;
  role?: string;
}

interface SignInView {
  formToken: SafeHtml;
  /** Path to go to afterwards. */
  to: string;
  methods: readonly Method[];
  notice?: Content;
  problem?: SignInProblem;
}

/** The sign-in page: the listed methods, and forms for all others and for tokens. */
export function signInPage({ formToken, to, methods, notice, problem }: SignInView): PageAnswer {
  const hidden = html`${formToken}<input type="hidden" name="to" value="${to}">`;
  const textAt = (place: SignInProblem['at']) => (problem?.at === place ? problem.text : undefined);
  const tried = problem?.method === undefined ? undefined : { role: problem.role, problem: textAt('role') };
  const isListed = methods.some(({ path }) => path === problem?.method);
  const unlisted = isListed ? undefined : tried;
  // A listed method has no field for its path.
  const onPage = textAt('page') ?? (isListed ? textAt('method') : undefined);
  const token = textAt('token');
  const body = html`<div class="narrow work">
${onPage === undefined ? notice : alarm(onPage)}
${
  methods.length > 0 &&
  html`<section aria-labelledby="providers"><h2 id="providers">With your organisation</h2>
${methods.map((method, index) => methodForm(method, index, hidden, method.path === problem?.method ? tried : undefined))}</section>`
}
<section class="ways" aria-labelledby="other-ways"><h2 id="other-ways">${methods.length > 0 ? 'Another way' : 'How'}</h2>
${way('An identity provider that is not listed', providerSignInPath, unlisted !== undefined, [
  hidden,
  methodField('oidc', isListed ? undefined : problem?.method, {
    problem: isListed ? undefined : textAt('method'),
  }),
  roleField('oidc-role', unlisted),
  html`<p><button class="primary">Continue</button></p>`,
])}
${way('A token of the secrets service', signInPath, methods.length === 0 || token !== undefined, [
  hidden,
  field({
    name: 'token',
    label: 'Token',
    hint: html`<code>gatehouse login --role …</code> prints one.`,
    problem: token,
    control: secret,
  }),
  html`<p><button class="primary">Sign in with the token</button></p>`,
])}
</section>
</div>`;
  const lead = html`<p>To the runs and deliveries of this platform.</p>`;
  return site.answer({ title: 'Sign in', lead, body }, problem?.status);
}
