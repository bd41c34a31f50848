import { html, outsideLink, renderMarkdown, type SafeHtml } from '@gatehouse/host';
import type { Ask } from './ask.ts';

interface ShownMessage {
  id: string;
  title: string;
  /** Markdown. */
  text: string;
  type: string;
  link?: { title: string; url: string };
}

/**
 * The active messages, for before or after sign-in, with those of parent namespaces first.
 *
 * @throws {Refusal}
 */
export async function activeMessages(ask: Ask, authenticated: boolean): Promise<ShownMessage[]> {
  const list = authenticated ? 'authenticated-messages' : 'unauthenticated-messages';
  const { data } = await ask({ operation: 'read', path: `sys/internal/ui/${list}` });
  const listed = data as { keys: string[]; key_info: Record<string, WireMessage> };
  return listed.keys.flatMap((id) => {
    const message = listed.key_info[id];
    return message === undefined ? [] : [shownMessage(id, message)];
  });
}

/** A message as the service returns it, as far as pages need it. */
interface WireMessage {
  title: string;
  /** Base64. */
  message: string;
  type: string;
  link?: Record<string, string> | null;
}

function shownMessage(id: string, { title, message, type, link }: WireMessage): ShownMessage {
  const [first] = Object.entries(link ?? {});
  return { id, title, text: decodedText(message), type, link: first && { title: first[0], url: first[1] } };
}

/** The text of a message; invalid UTF-8 becomes replacement characters. */
function decodedText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Messages above a page: banners, and dialogs that are open until the script makes them modal. */
export function announcements(messages: readonly ShownMessage[]): SafeHtml {
  const banners = messages.filter(({ type }) => type !== 'modal');
  const modals = messages.filter(({ type }) => type === 'modal');
  return html`${banners.length > 0 && html`<section aria-label="Announcements">${banners.map(banner)}</section>`}
${modals.map(modal)}`;
}

function banner(message: ShownMessage): SafeHtml {
  return html`<div class="banner">
<strong class="message-title">${message.title}</strong>
${content(message)}
</div>
`;
}

function modal(message: ShownMessage): SafeHtml {
  return html`<dialog open data-modal id="message-${message.id}" aria-labelledby="message-${message.id}-title">
<h2 class="dialog-title" id="message-${message.id}-title">${message.title}</h2>
${content(message)}
<form method="dialog"><button class="primary" autofocus>Close</button></form>
</dialog>
`;
}

function content({ text, link }: ShownMessage): SafeHtml {
  return html`<div class="message-body">${renderMarkdown(text)}</div>
${link !== undefined && html`<p class="message-link">${outsideLink(link.url, link.title, `${link.title}: ${link.url}`)}</p>`}`;
}
