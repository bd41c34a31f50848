import { html } from '../../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { isTokenRefused, refusalText } from '../ask.ts';
import { alarm, root, signedInPage } from '../frame.ts';
import type { Page, SignedInVisit } from '../visit.ts';

/** What one does with the token of the session. */
export const tokenPages: Page<SignedInVisit>[] = [
  { pattern: /^token\/renew$/, post: renew },
  { pattern: /^token\/reveal$/, post: reveal },
];

async function renew(visit: SignedInVisit): Promise<PageAnswer> {
  try {
    await visit.ask({ operation: 'update', path: 'auth/token/renew-self' });
    return seeOther(`${root}?notice=renewed`);
  } catch (error) {
    if (!(error instanceof Refusal) || isTokenRefused(error)) throw error;
    const page = signedInPage(visit, {
      title: 'Not renewed',
      body: html`<div class="narrow work">${alarm(refusalText(error))}<p><a href="${root}">Back</a></p></div>`,
    });
    return pageAnswer(page, error.status);
  }
}

/** The one page on which the token stands: nobody comes to it but by pressing a button. */
function reveal(visit: SignedInVisit): PageAnswer {
  const page = signedInPage(visit, {
    title: 'Your token',
    lead: html`<p>Whoever has it can do all that you can, until it ends.</p>`,
    body: html`<div class="narrow work">
<div class="field"><label for="token">Token</label>
<output class="token" id="token">${visit.session.token}</output></div>
<p><a class="button" href="${root}">Done</a></p>
</div>`,
  });
  return pageAnswer(page);
}
