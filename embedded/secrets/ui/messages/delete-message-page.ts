import { html } from '../../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { signedInPage } from '../frame.ts';
import type { Page, SignedInVisit } from '../visit.ts';
import { messagePath, readStored } from './message-path.ts';

/** Asks before a message is deleted. */
export const deleteMessagePage: Page<SignedInVisit> = {
  pattern: /^messages\/(?<id>[^/]+)\/delete$/,
  get: (visit, { id = '' }) => question(visit, id),
  post: async ({ ask }, { id = '' }) => {
    await ask({ operation: 'delete', path: messagePath(id) });
    return seeOther('/ui/messages?notice=deleted');
  },
};

async function question(visit: SignedInVisit, id: string): Promise<PageAnswer> {
  const { title } = await readStored(visit.ask, id);
  const page = signedInPage(visit, {
    title: 'Delete a message',
    current: '/ui/messages',
    body: html`<div class="narrow">
<p>“${title}” is gone for good then, for everyone.</p>
<form class="buttons" method="post" action="/ui/messages/${encodeURIComponent(id)}/delete">${visit.formToken}
<button class="danger">Delete the message</button>
<a href="/ui/messages">Keep it</a></form>
</div>`,
  });
  return pageAnswer(page);
}
