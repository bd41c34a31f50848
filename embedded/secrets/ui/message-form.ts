import { isActive } from '../../../core/model/resources/custom-message.ts';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { alarm, instantText } from '../../../web/pages/content.ts';
import { choice, field } from '../../../web/pages/field.ts';
import { html, type SafeHtml } from '../../../web/pages/html.ts';
import { type Draft, type DraftField, draftLabels, instantOf, type Problems } from './message-draft.ts';
import { banner, modalContent, type ShownMessage } from './shown-messages.ts';

interface MessageFormArgs {
  action: string;
  formToken: SafeHtml;
  draft: Draft;
  problems: Problems;
  /** Problem of the whole message. */
  problem?: string;
  /** Instant of the preview, as a `datetime-local` value. */
  at: string;
  verb: string;
}

const localTime = { type: 'datetime-local', step: 1 };

/** The form of a message. Enter saves; the preview has its own button. */
export function messageForm(args: MessageFormArgs): SafeHtml {
  const { action, formToken, draft, problems, problem, at, verb } = args;
  const box = (name: keyof Draft, more: Partial<Parameters<typeof field>[0]> = {}) =>
    field({ name, label: draftLabels[name], value: draft[name], problem: problems[name], ...more });
  return html`${problem !== undefined && alarm(problem)}
${Object.keys(problems).length > 0 && summary(problems)}
<form class="fields" method="post" action="${action}" novalidate>${formToken}
${box('title', { control: { required: true } })}
${box('message', { lines: 'many', hint: 'Markdown.', control: { required: true, rows: 6 } })}
<div class="pair">
${choice({
  name: 'authenticated',
  legend: draftLabels.authenticated,
  value: draft.authenticated,
  options: [
    { value: 'false', text: 'everyone, before sign-in' },
    { value: 'true', text: 'people who are signed in' },
  ],
})}
${choice({
  name: 'type',
  legend: draftLabels.type,
  value: draft.type,
  options: [
    { value: 'banner', text: 'as a banner' },
    { value: 'modal', text: 'as a dialog' },
  ],
})}
</div>
<div class="pair">
${box('start', { control: { ...localTime, required: true } })}
${box('end', { control: localTime })}
</div>
<div class="pair">
${box('linkTitle')}
${box('linkUrl', { control: { inputmode: 'url', placeholder: 'https://' } })}
</div>
<div class="buttons"><button class="primary" name="do" value="save">${verb}</button>
<a href="/ui/messages">Cancel</a></div>
<div class="buttons preview-at">
${field({ name: 'at', label: 'Preview at (UTC)', value: at, control: localTime })}
<button name="do" value="preview" formaction="${action}#preview">Preview</button></div>
</form>`;
}

function summary(problems: Problems): SafeHtml {
  const entries = Object.entries(problems) as [DraftField, string][];
  return html`<div class="notice alarm" role="alert">
<p>${entries.length === 1 ? 'One field needs' : `${entries.length} fields need`} another look.</p>
<ul>${entries.map(([name, text]) => html`<li><a href="#${name}">${draftLabels[name]}</a>: ${text}</li>`)}</ul>
</div>`;
}

/** A draft as people see it at an instant (nanoseconds), or why they do not. */
export function preview(draft: Draft, at: bigint): SafeHtml {
  const [start, end] = [instantOf(draft.start), instantOf(draft.end)];
  const when = instantText(formatInstant(at));
  return html`<section id="preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
${
  start === undefined
    ? html`<p>No one sees it: it has no start.</p>`
    : isActive(
          { startTime: formatInstant(start), endTime: end === undefined ? undefined : formatInstant(end) },
          at,
        )
      ? html`<p>At ${when}, ${draft.authenticated === 'true' ? 'people see this after' : 'everyone sees this before'} sign-in:</p>
${stage(draft)}`
      : html`<p>At ${when} nobody sees it: it ${
          at < start
            ? html`starts at ${instantText(formatInstant(start))}`
            : html`ended at ${instantText(formatInstant(end ?? 0n))}`
        }.</p>`
}
</section>`;
}

function stage(draft: Draft): SafeHtml {
  const { title, message: text, type, linkTitle, linkUrl } = draft;
  const link = linkUrl === '' ? undefined : { title: linkTitle, url: linkUrl };
  const message: ShownMessage = { id: 'preview', title, text, type, link };
  if (type !== 'modal') return html`<div class="stage">${banner(message)}</div>`;
  return html`<div class="stage veiled"><div class="dialog">${modalContent(message)}
<div class="buttons"><span class="button primary">Close</span></div></div></div>`;
}
