import { field } from '../../web/pages/field.ts';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { alarm, openPage, runsPath, signInPath } from './frame.ts';

export interface SignInArgs {
  formToken: SafeHtml;
  /** Where one wanted to go. */
  to: string;
  problem?: Content;
  /** What was done before: `signed-out` or `ended`. */
  notice?: string | null;
}

const notices: Record<string, string> = {
  'signed-out': 'You are signed out here. Your token stays good until it ends by itself.',
  ended: 'Your session is over, because your token is no longer good. Sign in again.',
};

/** Sign-in by a token of the secrets service. */
export function signInPage({ formToken, to, problem, notice }: SignInArgs): SafeHtml {
  const said = notices[notice ?? ''];
  return openPage({
    title: 'Sign in',
    lead: html`<p>To the runs and deliveries of this platform.</p>`,
    body: html`<div class="narrow work">
${problem === undefined ? said !== undefined && html`<div class="notice" role="status"><p>${said}</p></div>` : alarm(problem)}
<form method="post" action="${signInPath}" class="fields">
${formToken}<input type="hidden" name="to" value="${to}">
${field({
  name: 'token',
  label: 'Token',
  hint: html`A token of the secrets service. <code>gatehouse login --role …</code> prints one.`,
  control: { type: 'password', required: true, autocomplete: 'off', spellcheck: 'false' },
})}
<div class="buttons"><button class="primary">Sign in</button></div>
</form>
</div>`,
  });
}

/** A path of these pages that may be led to after the sign-in; anything else is the first page. */
export function ownPath(given: string | null): string {
  return given !== null && /^\/ui\/(?:runs|deliveries)(?:\/[\w-]+)?(?:\?[\w=&%.+-]*)?$/.test(given)
    ? given
    : runsPath;
}
