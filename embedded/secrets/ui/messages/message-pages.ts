import { formatInstant } from '../../../../core/model/values/instant.ts';
import { html } from '../../../../web/pages/html.ts';
import { type PageAnswer, pageAnswer, seeOther } from '../../../../web/pages/page-answer.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { isTokenRefused, refusalText } from '../ask.ts';
import { type Notice, signedInPage } from '../frame.ts';
import type { Page, SignedInVisit } from '../visit.ts';
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
} from './draft.ts';
import { messageForm } from './message-form.ts';
import { messagePath, messagesPath, readStored } from './message-path.ts';
import { preview } from './preview.ts';

/** Writing a new message and changing one, each with its preview. */
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
];

async function save(visit: SignedInVisit, stored?: StoredMessage): Promise<PageAnswer> {
  const { form } = visit.request;
  const draft = draftOfForm(form);
  if (form.get('do') === 'preview') return render(visit, { draft, stored, previewed: true });
  const problems = problemsOf(draft);
  if (Object.keys(problems).length > 0) return render(visit, { draft, stored, problems, status: 400 });
  try {
    await visit.ask({
      operation: 'update',
      path: stored === undefined ? messagesPath : messagePath(stored.id),
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
  const notice: Notice = stored === undefined ? 'created' : 'saved';
  return seeOther(`/ui/messages?notice=${notice}`);
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
  const { request, now, formToken, session } = visit;
  const at = instantOf(request.form.get('at') ?? '') ?? now - (now % 1_000_000_000n);
  const page = signedInPage(visit, {
    title: stored === undefined ? 'New message' : stored.title,
    current: '/ui/messages',
    lead: html`<p>${
      stored === undefined
        ? 'It is shown from its start to its end.'
        : 'Saving replaces the message as a whole.'
    }${session.namespace !== '' && html` In the namespace <span class="id">${session.namespace}</span>, and in those below it.`}</p>`,
    body: html`<div class="work">
${messageForm({
  action: stored === undefined ? '/ui/messages/new' : `/ui/messages/${encodeURIComponent(stored.id)}`,
  formToken,
  draft,
  problems,
  problem,
  at: localTime(formatInstant(at)),
  verb: stored === undefined ? 'Create the message' : 'Save the message',
})}
${previewed && preview(draft, at)}
${
  stored !== undefined &&
  html`<p><a href="/ui/messages/${encodeURIComponent(stored.id)}/delete">Delete this message</a></p>`
}
</div>`,
  });
  return pageAnswer(page, status);
}
