import { GatehouseError } from '../../core/model/values/errors.ts';
import { html } from '../../web/pages/html.ts';
import type { SignInProblem } from './sign-in-page.ts';

/** Characters of a text from outside. */
const longest = 500;

/**
 * Why a sign-in at a provider did not begin or end, in the words of the pages.
 *
 * @param method empty once the provider has answered
 * @throws whatever is not a GatehouseError
 */
export function reasonFor(error: unknown, method: string, redirectUri: string): SignInProblem {
  if (!(error instanceof GatehouseError)) throw error;
  const {
    code,
    parts: { what, given, fix },
  } = error;
  const said = what.slice(0, longest);
  switch (code) {
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
