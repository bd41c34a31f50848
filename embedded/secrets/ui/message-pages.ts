import { type MessageState, messageState } from '../../../core/model/resources/custom-message.ts';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { instantText, noticeOf } from '../../../web/pages/content.ts';
import { type Content, html, type SafeHtml } from '../../../web/pages/html.ts';
import type { PageAnswer } from '../../../web/pages/site.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Ask, isTokenRefused, refusalText } from './ask.ts';
import {
  bodyOf,
  type Draft,
  draftOfForm,
  draftOfStored,
  emptyDraft,
  fieldOfRefusal,
  instantOf,
  localTime,
  type Problems,
  problemsOf,
  type StoredMessage,
} from './message-draft.ts';
import { messageForm, preview } from './message-form.ts';
import { namespaceText, type Page, type SignedInVisit, site } from './page.ts';

/** interface.md C. */
const messagesPath = 'sys/config/ui/custom-messages';

const notices = {
  created: 'The message was created.',
  saved: 'The message was saved.',
  deleted: 'The message was deleted.',
};

const states = { active: 'Active', scheduled: 'Scheduled', ended: 'Ended' } as const satisfies Record<
  MessageState,
  string
>;

type ListedMessage = Pick<
  StoredMessage,
  'id' | 'title' | 'type' | 'authenticated' | 'start_time' | 'end_time'
>;

export const messagePages: Page<SignedInVisit>[] = [
  { pattern: /^messages$/, get: overview },
  {
    pattern: /^messages\/new$/,
    get: (visit) => render(visit, { draft: emptyDraft(visit.now) }),
    post: (visit) => save(visit),
  },
  {
    pattern: /^messages\/(?<id>[^/]+)$/,
    get: async (visit, { id = '' }) => {
      const stored = await readStored(visit.ask, id);
      return render(visit, { draft: draftOfStored(stored), stored });
    },
    post: async (visit, { id = '' }) => save(visit, await readStored(visit.ask, id)),
  },
  {
    pattern: /^messages\/(?<id>[^/]+)\/delete$/,
    get: (visit, { id = '' }) => confirmDelete(visit, id),
    post: async ({ ask }, { id = '' }) => {
      await ask({ operation: 'delete', path: `${messagesPath}/${id}` });
      return site.seeOther('/ui/messages?notice=deleted');
    },
  },
];

/** @throws {Refusal} 403, 404 */
async function readStored(ask: Ask, id: string): Promise<StoredMessage> {
  const { data } = await ask({ operation: 'read', path: `${messagesPath}/${id}` });
  return data as unknown as StoredMessage;
}

async function save(visit: SignedInVisit, stored?: StoredMessage): Promise<PageAnswer> {
  const { form } = visit.request;
  const draft = draftOfForm(form);
  if (form.get('do') === 'preview') return render(visit, { draft, stored, previewed: true });
  const problems = problemsOf(draft);
  if (Object.keys(problems).length > 0) return render(visit, { draft, stored, problems, status: 400 });
  try {
    await visit.ask({
      operation: 'update',
      path: stored === undefined ? `${messagesPath}/` : `${messagesPath}/${stored.id}`,
      body: bodyOf(draft, stored),
    });
  } catch (error) {
    if (!(error instanceof Refusal) || isTokenRefused(error)) throw error;
    const text = error.status === 403 ? 'Your policies do not allow this.' : refusalText(error);
    const field = fieldOfRefusal(text);
    const { status } = error;
    if (field === undefined) return render(visit, { draft, stored, problem: text, status });
    return render(visit, { draft, stored, problems: { [field]: text }, status });
  }
  return site.seeOther(`/ui/messages?notice=${stored === undefined ? 'created' : 'saved'}`);
}

interface MessageView {
  draft: Draft;
  stored?: StoredMessage;
  problems?: Problems;
  problem?: string;
  /** Defaults to true for a stored message. */
  previewed?: boolean;
  status?: number;
}

async function render(visit: SignedInVisit, view: MessageView): Promise<PageAnswer> {
  const { draft, stored, problems = {}, problem, previewed = stored !== undefined, status } = view;
  const { request, now, formToken, person } = visit;
  const at = instantOf(request.form.get('at') ?? '') ?? now - (now % 1_000_000_000n);
  const action = stored === undefined ? '/ui/messages/new' : `/ui/messages/${encodeURIComponent(stored.id)}`;
  const page = {
    visit,
    title: stored === undefined ? 'New message' : stored.title,
    current: '/ui/messages',
    lead: html`<p>${
      stored === undefined ? 'It is shown from its start to its end.' : 'Saving replaces the whole message.'
    }${person.namespace !== '' && html` In the namespace ${namespaceText(person.namespace)}, and in those below it.`}</p>`,
    body: html`<div class="work">
${stored !== undefined && (await declaredWarning(visit, stored.title, 'Changes made here last'))}
${messageForm({
  action,
  formToken,
  draft,
  problems,
  problem,
  at: localTime(formatInstant(at)),
  verb: stored === undefined ? 'Create the message' : 'Save the message',
})}
${previewed && preview(draft, at)}
${stored !== undefined && html`<p><a href="${action}/delete">Delete this message</a></p>`}
</div>`,
  };
  return site.answer(page, status);
}

/** For a message that an environment declares, whose next deployment undoes what is done here. */
async function declaredWarning(visit: SignedInVisit, title: string, what: string): Promise<Content> {
  if (!(await visit.declared()).has(title)) return undefined;
  return html`<div class="notice alarm" role="note"><p>This message is declared in the environment’s stack file. ${what} until the next deployment, which restores it. Change the stack file instead.</p></div>`;
}

async function confirmDelete(visit: SignedInVisit, id: string): Promise<PageAnswer> {
  const { title } = await readStored(visit.ask, id);
  return site.answer({
    visit,
    title: 'Delete a message',
    current: '/ui/messages',
    body: html`<div class="narrow">
<p>This deletes “${title}” for everyone. It cannot be undone.</p>
${await declaredWarning(visit, title, 'Deleting it lasts')}
<form class="buttons" method="post" action="/ui/messages/${encodeURIComponent(id)}/delete">${visit.formToken}
<button class="danger">Delete the message</button>
<a href="/ui/messages">Keep it</a></form>
</div>`,
  });
}

async function overview(visit: SignedInVisit): Promise<PageAnswer> {
  const { ask, request, now, person } = visit;
  const [messages, declared] = await Promise.all([listed(ask), visit.declared()]);
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
  .map((state) => section(state, inState(state), declared))}`,
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
    // An empty list.
    if (error instanceof Refusal && error.status === 404) return [];
    throw error;
  }
}

function stateAt({ start_time: startTime, end_time: endTime }: ListedMessage, now: bigint): MessageState {
  return messageState({ startTime, endTime: endTime ?? undefined }, now);
}

function filter(only: MessageState | undefined): SafeHtml {
  const choices: [state: MessageState | undefined, text: string][] = [
    [undefined, 'All'],
    ...(Object.entries(states) as [MessageState, string][]),
  ];
  return html`<nav aria-label="Messages by state"><ul class="filter">${choices.map(([state, text]) => {
    const href = state === undefined ? '/ui/messages' : `/ui/messages?state=${state}`;
    return html`<li><a href="${href}"${state === only && html` aria-current="true"`}>${text}</a></li>`;
  })}</ul></nav>`;
}

function section(state: MessageState, messages: ListedMessage[], declared: ReadonlySet<string>): SafeHtml {
  return html`<section aria-labelledby="${state}"><h2 id="${state}">${states[state]} <span class="count">${messages.length}</span></h2>
${messages.length === 0 ? html`<p class="quiet">None.</p>` : table(messages, declared)}
</section>`;
}

function table(messages: ListedMessage[], declared: ReadonlySet<string>): Content {
  return html`<table class="rows">
<thead><tr><th scope="col">Title</th><th scope="col">Shown</th><th scope="col">From and until</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${messages.map((message) => row(message, declared.has(message.title)))}</tbody>
</table>`;
}

function row(message: ListedMessage, isDeclared: boolean): SafeHtml {
  const { id, title, type, authenticated, start_time: start, end_time: end } = message;
  const address = `/ui/messages/${encodeURIComponent(id)}`;
  return html`<tr>
<th scope="row"><a href="${address}">${title}</a>${isDeclared && html` <span class="tag info">declared</span>`}</th>
<td>${type === 'modal' ? 'as a dialog' : 'as a banner'}, ${authenticated ? 'after' : 'before'} sign-in</td>
<td>${instantText(start)}<br>to ${end === null ? 'no end' : instantText(end)}</td>
<td class="actions"><a href="${address}#preview">Preview<span class="hidden"> ${title}</span></a>
<a href="${address}/delete">Delete<span class="hidden"> ${title}</span></a></td>
</tr>
`;
}
