import { parseInstant } from '@gatehouse/core/graph';
import { type Content, html, type SafeHtml } from './html.ts';

/** A notice that is read out at once. */
export function alarm(content: Content): SafeHtml {
  return html`<div class="notice alarm" role="alert"><p>${content}</p></div>`;
}

/** The notice that the query names (`?notice=saved`). */
export function noticeOf(notices: Readonly<Record<string, string>>, query: URLSearchParams): Content {
  const name = query.get('notice') ?? '';
  return (
    Object.hasOwn(notices, name) && html`<div class="notice" role="status"><p>${notices[name]}</p></div>`
  );
}

/** Names and values; rows without a value are omitted. */
export function facts(rows: readonly (readonly [name: string, value: Content])[], look = ''): SafeHtml {
  return html`<dl class="facts ${look}">${rows
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

/** Short texts that go together, such as the names of policies. */
export function tags(names: readonly string[]): Content {
  return html`<ul class="tags">${names.map((name) => html`<li>${name}</li>`)}</ul>`;
}

/** A part of a page, below its heading. */
export function section(id: string, title: string, content: Content): SafeHtml {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>`;
}

/** A table, on narrow windows a list: the first cell of a row is its heading, the others have their column's name in front. */
export function table(headings: readonly string[], rows: readonly (readonly Content[])[]): SafeHtml {
  return html`<table class="listed">
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...cells]) => html`<tr>
<th scope="row">${first}</th>
${cells.map((cell, index) => html`<td data-column="${headings[index + 1]}">${cell}</td>\n`)}</tr>
`,
  )}</tbody></table>`;
}

/** An RFC 3339 instant for people: `2026-12-01 02:00 UTC`, with seconds unless they are zero. */
export function instantText(instant: string): SafeHtml {
  const parsed = parseInstant(instant);
  if (parsed === undefined) return html`${instant}`;
  const iso = new Date(Number(parsed / 1_000_000n)).toISOString();
  const time = iso.slice(11, 19).replace(/:00$/, '');
  return html`<time datetime="${instant}">${iso.slice(0, 10)} ${time} UTC</time>`;
}

/** A number of seconds in its two largest units: `59 min 10 s`. */
export function timeLeft(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `3 min ago`, in the largest unit. @param at milliseconds since 1970, like now */
export function ago(at: number, now: number): SafeHtml {
  const [largest] = timeLeft(Math.max(0, Math.floor((now - at) / 1000))).split(/(?<=[a-z]) /);
  return html`<time datetime="${new Date(at).toISOString()}">${largest} ago</time>`;
}

/** Whether a text is an absolute http or https URL. Pages link to no other URL from outside. */
export function isWebLink(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '';
}

/** A link to another site, or `otherwise` if the address is not a web address. */
export function outsideLink(
  url: string,
  text: string,
  otherwise: Content = html`<span class="id">${url}</span>`,
): SafeHtml {
  if (!isWebLink(url)) return html`${otherwise}`;
  return html`<a href="${url}" rel="noopener noreferrer nofollow">${text}</a>`;
}
