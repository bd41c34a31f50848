import { GatehouseError } from '../../core/model/values/errors.ts';
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

/** Characters of a text from outside. */
const longestText = 500;

/**
 * Why a sign-in at a provider did not begin or end, in the words of the pages.
 *
 * @param method empty once the provider has answered
 * @throws whatever is not a GatehouseError
 */
export function reasonFor(error: unknown, method: string, redirectUri: string): SignInProblem {
  if (!(error instanceof GatehouseError)) throw error;
  const { what, given, fix } = error.parts;
  const said = what.slice(0, longestText);
  switch (error.code) {
    case 'auth_url_invalid':
      return {
        ...{ status: 400, at: 'page' },
        text: html`The secrets service returned no address to sign in at. Either the role does not allow the redirect URI <span class="id">${redirectUri}</span>, or its provider does not respond. The service’s log says which.`,
      };
    case 'login_state_wrong':
      return {
        ...{ status: 400, at: 'page' },
        text: html`${what} ${fix} The address of these pages is <span class="id">${new URL(redirectUri).origin}</span>.`,
      };
    case 'sign_in_refused': {
      const why = /^[a-z_]{1,60}(?=:|$)/.exec(given ?? '')?.[0];
      return { status: 403, at: 'page', text: `${what}${why === undefined ? '' : ` It says: ${why}.`}` };
    }
    case 'path_invalid':
    case 'not_found':
      return { status: 404, at: 'method', text: `There is no auth method at auth/${method}.` };
    case 'login_refused':
      if (method === '') return { status: 403, at: 'page', text: said };
      if (/\bmissing role\b/.test(what)) {
        return { status: 400, at: 'role', text: 'The method has no default role: enter one.' };
      }
      if (/\brole ".*" could not be found/.test(what)) {
        return { status: 400, at: 'role', text: 'The method has no such role.' };
      }
      // The service says the same of a method that it does not have.
      if ((error.cause as GatehouseError | undefined)?.code === 'permission_denied') {
        return {
          ...{ status: 403, at: 'method' },
          text: `Denied: there is no auth method at auth/${method}, or it does not accept this server’s address.`,
        };
      }
      return { status: 400, at: 'method', text: said };
    default:
      return {
        ...{ status: 503, at: 'page' },
        text: 'The secrets service, which knows who you are, does not answer as it should. Try again in a moment.',
      };
  }
}
