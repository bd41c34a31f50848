import { type MessageState, messageState } from '../../../core/model/resources/custom-message.ts';
import { instantText, noticeOf } from '../../../web/pages/content.ts';
import { type Content, html, type SafeHtml } from '../../../web/pages/html.ts';
import type { PageAnswer } from '../../../web/pages/site.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Ask } from './ask.ts';
import { namespaceText, type Page, type SignedInVisit, site } from './page.ts';

/** interface.md C: where the messages of a namespace are. */
export const messagesPath = 'sys/config/ui/custom-messages';

const notices = {
  created: 'The message was created.',
  saved: 'The message was saved.',
  deleted: 'The message was deleted.',
};

const states = { active: 'Active', scheduled: 'Scheduled', ended: 'Ended' } as const satisfies Record<
  MessageState,
  string
>;

interface ListedMessage {
  id: string;
  title: string;
  type: string;
  authenticated: boolean;
  start_time: string;
  end_time: string | null;
}

/** The messages of the namespace, by their state at this moment. */
export const messagesPage: Page<SignedInVisit> = { pattern: /^messages$/, get };

async function get(visit: SignedInVisit): Promise<PageAnswer> {
  const { ask, request, now, person } = visit;
  const messages = await listed(ask);
  const asked = request.query.get('state') ?? '';
  const only = Object.hasOwn(states, asked) ? (asked as MessageState) : undefined;
  const inState = (state: MessageState) => messages.filter((message) => stateAt(message, now) === state);
  return site.answer({
    visit,
    title: 'Messages',
    current: '/ui/messages',
    lead: html`<p>What people read before and after they sign in${
      person.namespace !== '' && html` to the namespace ${namespaceText(person.namespace)}`
    }.</p>
<p><a class="button primary" href="/ui/messages/new">New message</a></p>`,
    body: html`${noticeOf(notices, request.query)}
${filter(only)}
${(Object.keys(states) as MessageState[])
  .filter((state) => only === undefined || state === only)
  .map((state) => section(state, inState(state)))}`,
  });
}

async function listed(ask: Ask): Promise<ListedMessage[]> {
  try {
    const { data } = await ask({ operation: 'list', path: messagesPath });
    const { keys, key_info: info } = data as { keys: string[]; key_info: Record<string, ListedMessage> };
    return keys
      .flatMap((id) => (info[id] === undefined ? [] : [{ ...info[id], id }]))
      .sort((one, other) => (one.start_time < other.start_time ? -1 : 1));
  } catch (error) {
    // This is how the service answers an empty list.
    if (error instanceof Refusal && error.status === 404) return [];
    throw error;
  }
}

function stateAt({ start_time: startTime, end_time: endTime }: ListedMessage, now: bigint): MessageState {
  return messageState({ startTime, endTime: endTime ?? undefined }, now);
}

function filter(only: MessageState | undefined): SafeHtml {
  const links: [string, string, boolean][] = [
    ['All', '/ui/messages', only === undefined],
    ...Object.entries(states).map(([state, text]): [string, string, boolean] => [
      text,
      `/ui/messages?state=${state}`,
      state === only,
    ]),
  ];
  return html`<nav aria-label="Messages by state"><ul class="filter">${links.map(
    ([text, href, isCurrent]) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>`;
}

function section(state: MessageState, messages: ListedMessage[]): SafeHtml {
  return html`<section aria-labelledby="${state}"><h2 id="${state}">${states[state]} <span class="count">${messages.length}</span></h2>
${messages.length === 0 ? html`<p class="quiet">None.</p>` : table(messages)}
</section>`;
}

function table(messages: ListedMessage[]): Content {
  return html`<table class="rows">
<thead><tr><th scope="col">Title</th><th scope="col">Shown</th><th scope="col">From and until</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${messages.map(row)}</tbody>
</table>`;
}

function row({ id, title, type, authenticated, start_time: start, end_time: end }: ListedMessage): SafeHtml {
  const address = `/ui/messages/${encodeURIComponent(id)}`;
  return html`<tr>
<th scope="row"><a href="${address}">${title}</a></th>
<td>${type === 'modal' ? 'as a dialog' : 'as a banner'}, ${authenticated ? 'after' : 'before'} sign-in</td>
<td>${instantText(start)}<br>to ${end === null ? 'no end' : instantText(end)}</td>
<td class="actions"><a href="${address}#preview">Preview<span class="hidden"> ${title}</span></a>
<a href="${address}/delete">Delete<span class="hidden"> ${title}</span></a></td>
</tr>
`;
}
