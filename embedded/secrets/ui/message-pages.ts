import { formatInstant } from '../../../core/model/values/instant.ts';
import { html } from '../../../web/pages/html.ts';
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
import { messagesPath } from './messages-page.ts';
import { namespaceText, type Page, type SignedInVisit, site } from './page.ts';

/** Creating, changing and deleting a message. */
export const messagePages: Page<SignedInVisit>[] = [
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
      path: stored === undefined ? messagesPath : `${messagesPath}/${stored.id}`,
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
  /** Whether a preview was asked for; a stored message always has one. */
  previewed?: boolean;
  status?: number;
}

function render(visit: SignedInVisit, view: MessageView): PageAnswer {
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

async function confirmDelete(visit: SignedInVisit, id: string): Promise<PageAnswer> {
  const { title } = await readStored(visit.ask, id);
  return site.answer({
    visit,
    title: 'Delete a message',
    current: '/ui/messages',
    body: html`<div class="narrow">
<p>This deletes “${title}” for everyone. It cannot be undone.</p>
<form class="buttons" method="post" action="/ui/messages/${encodeURIComponent(id)}/delete">${visit.formToken}
<button class="danger">Delete the message</button>
<a href="/ui/messages">Keep it</a></form>
</div>`,
  });
}
