import { GatehouseError } from '@gatehouse/core/values';
import {
  alarm,
  type Content,
  field,
  foldedForm,
  html,
  type Method,
  methodField,
  type PageAnswer,
  providerButton,
  providerList,
  providerSignInPath,
  roleField,
  type SafeHtml,
  secret,
} from '@gatehouse/host';
import { issuerSignInPath, signInPath, site } from './page.ts';

/** Why a sign-in was refused, and where the page shows it. */
export interface SignInProblem {
  status: number;
  text: Content;
  at: 'page' | 'method' | 'role' | 'token';
  /** Values of the attempt, to fill in again: never a token. */
  method?: string;
  role?: string;
}

/** A problem that belongs to no field. */
export function onPage(status: number, text: Content): SignInProblem {
  return { status, text, at: 'page' };
}

interface SignInPageView {
  formToken: SafeHtml;
  /** Path to go to afterwards. */
  to: string;
  methods: readonly Method[];
  /** What providers are searched for; empty for all. */
  search: string;
  /** Host of the pages' own issuer. */
  issuer?: string;
  notice?: Content;
  problem?: SignInProblem;
}

/** The sign-in page: the listed methods, and forms for other methods and for tokens. */
export function signInPage(view: SignInPageView): PageAnswer {
  const { formToken, to, methods, search, issuer, notice, problem } = view;
  const hidden = html`${formToken}<input type="hidden" name="to" value="${to}">`;
  const textAt = (place: SignInProblem['at']) => (problem?.at === place ? problem.text : undefined);
  const tried = problem?.method === undefined ? undefined : { role: problem.role, problem: textAt('role') };
  const isListed = methods.some(({ path }) => path === problem?.method);
  const unlisted = isListed ? undefined : tried;
  // A listed method has no field for its path.
  const onPage = textAt('page') ?? (isListed ? textAt('method') : undefined);
  const token = textAt('token');
  const hasProviders = methods.length > 0 || issuer !== undefined;
  const body = html`<div class="narrow work">
${onPage === undefined ? notice : alarm(onPage)}
${
  hasProviders &&
  html`<section aria-labelledby="providers"><h2 id="providers">With your organization</h2>
${providerList({
  methods,
  searchPath: signInPath,
  searchFields: { to },
  search,
  hidden,
  ...(isListed && problem?.method !== undefined && { tried: { ...tried, method: problem.method } }),
  ...(issuer !== undefined && { first: issuerButton(issuer) }),
})}</section>`
}
<section class="ways" aria-labelledby="other-ways"><h2 id="other-ways">${hasProviders ? 'Other methods' : 'Methods'}</h2>
${foldedForm('An identity provider that is not listed', providerSignInPath, unlisted !== undefined, [
  hidden,
  methodField('oidc', isListed ? undefined : problem?.method, {
    problem: isListed ? undefined : textAt('method'),
  }),
  roleField('oidc-role', unlisted),
  html`<p><button class="primary">Continue</button></p>`,
])}
${foldedForm('A token of the secrets service', signInPath, !hasProviders || token !== undefined, [
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

function issuerButton(host: string): SafeHtml {
  return providerButton({ name: host, control: { formaction: issuerSignInPath } });
}

/** Characters of the service's refusal that the page shows. */
const longestText = 500;

/**
 * Why a sign-in at a provider did not begin or end, in the words of the pages. One text stands for all that the service
 * refuses at the beginning, so that no one learns which auth methods and roles there are.
 *
 * @throws whatever is not a GatehouseError
 */
export function reasonFor(error: unknown, redirectUri: string, at: 'begin' | 'end'): SignInProblem {
  if (!(error instanceof GatehouseError)) throw error;
  const { what, given: answer, fix } = error.parts;
  switch (error.code) {
    case 'login_state_wrong':
      return onPage(
        400,
        html`${what} ${fix} The address of these pages is <span class="id">${new URL(redirectUri).origin}</span>.`,
      );
    case 'sign_in_refused': {
      const why = /^[a-z_]{1,60}(?=:|$)/.exec(answer ?? '')?.[0];
      return onPage(403, `${what}${why === undefined ? '' : ` It says: ${why}.`}`);
    }
    case 'issuer_unreadable':
      return onPage(503, 'The identity provider does not answer as it should. Try again in a moment.');
    case 'login_refused':
      if (at === 'end') return onPage(403, what.slice(0, longestText));
      return cannotBegin(redirectUri);
    case 'auth_url_invalid':
    case 'path_invalid':
    case 'not_found':
      return cannotBegin(redirectUri);
    default:
      return onPage(
        503,
        'The secrets service, which knows who you are, does not answer as it should. Try again in a moment.',
      );
  }
}

function cannotBegin(redirectUri: string): SignInProblem {
  return onPage(
    400,
    html`The secrets service did not start this sign-in. Check the auth method and the role: a method without a default role needs one, and the role has to allow the redirect URI <span class="id">${redirectUri}</span>. The log of the service has the reason.`,
  );
}
