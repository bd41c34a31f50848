import { isActive } from '../../../../core/model/resources/custom-message.ts';
import { formatInstant } from '../../../../core/model/values/instant.ts';
import { html, type SafeHtml } from '../../../../web/pages/html.ts';
import { instantText } from '../../../../web/pages/instant-text.ts';
import { banner, modalContent, type ShownMessage } from '../shown-messages.ts';
import { type Draft, instantOf } from './draft.ts';

/** A draft as it will look at an instant (nanoseconds), or why it will not be seen. */
export function preview(draft: Draft, at: bigint): SafeHtml {
  const [start, end] = [instantOf(draft.start), instantOf(draft.end)];
  const when = instantText(formatInstant(at));
  return html`<section id="preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
${
  start === undefined
    ? html`<p>It is not seen at all: it has no start.</p>`
    : isActive(
          { startTime: formatInstant(start), endTime: end === undefined ? undefined : formatInstant(end) },
          at,
        )
      ? html`<p>At ${when}, ${draft.authenticated === 'true' ? 'who is signed in' : 'everyone'} sees this ${draft.authenticated === 'true' ? 'after' : 'before'} sign-in:</p>
${stage(draft)}`
      : html`<p>At ${when} it is not seen: it ${
          at < start
            ? html`starts at ${instantText(formatInstant(start))}`
            : html`ended at ${instantText(formatInstant(end ?? 0n))}`
        }.</p>`
}
</section>`;
}

function stage(draft: Draft): SafeHtml {
  const { title, message: text, type, linkTitle, linkUrl } = draft;
  const link = linkUrl === '' ? {} : { link: { title: linkTitle, url: linkUrl } };
  const message: ShownMessage = { id: 'preview', title, text, type, ...link };
  if (type !== 'modal') return html`<div class="stage">${banner(message)}</div>`;
  return html`<div class="stage veiled"><div class="dialog">${modalContent(message)}
<div class="buttons"><span class="button primary">Close</span></div></div></div>`;
}
