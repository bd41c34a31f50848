import { choice, field } from '../../../../web/pages/field.ts';
import { html, type SafeHtml } from '../../../../web/pages/html.ts';
import { alarm } from '../frame.ts';
import type { Draft, DraftField, Problems } from './draft.ts';

export interface MessageFormArgs {
  /** Where it is sent: the page's own address. */
  action: string;
  formToken: SafeHtml;
  draft: Draft;
  problems: Problems;
  /** What is wrong with the whole, or why it was refused. */
  problem?: string;
  /** Instant at which it is previewed, as `datetime-local` has it. */
  at: string;
  /** What the button says that saves it. */
  verb: string;
}

const labels: Record<DraftField, string> = {
  title: 'Title',
  message: 'Text',
  authenticated: 'Who sees it',
  type: 'How it is shown',
  start: 'Starts (UTC)',
  end: 'Ends (UTC), empty for never',
  linkTitle: 'Text of a link',
  linkUrl: 'Where the link leads',
};

const localTime = { type: 'datetime-local', step: 1 };

/** The form of one message. Pressing Enter saves; the preview has a button of its own. */
export function messageForm(args: MessageFormArgs): SafeHtml {
  const { action, formToken, draft, problems, problem, at, verb } = args;
  const box = (name: keyof Draft, more: Partial<Parameters<typeof field>[0]> = {}) =>
    field({ name, label: labels[name], value: draft[name], problem: problems[name], ...more });
  return html`${problem !== undefined && alarm(problem)}
${Object.keys(problems).length > 0 && summary(problems)}
<form class="fields" method="post" action="${action}" novalidate>${formToken}
${box('title', { control: { required: true } })}
${box('message', { lines: 'many', hint: 'Markdown.', control: { required: true, rows: 6 } })}
<div class="pair">
${choice({
  name: 'authenticated',
  legend: labels.authenticated,
  value: draft.authenticated,
  options: [
    { value: 'false', text: 'everyone, before sign-in' },
    { value: 'true', text: 'who is signed in' },
  ],
})}
${choice({
  name: 'type',
  legend: labels.type,
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

/** What is to be fixed, with a way to each field. */
function summary(problems: Problems): SafeHtml {
  const entries = Object.entries(problems) as [DraftField, string][];
  return html`<div class="notice alarm" role="alert">
<p>${entries.length === 1 ? 'One field needs' : `${entries.length} fields need`} another look.</p>
<ul>${entries.map(([name, text]) => html`<li><a href="#${name}">${labels[name]}</a>: ${text}</li>`)}</ul>
</div>`;
}
