import { parseInstant } from '../../core/model/values/instant.ts';
import { html, type SafeHtml } from './html.ts';

/** An RFC 3339 instant for people: `2026-12-01 02:00 UTC`, with seconds where there are any. */
export function instantText(instant: string): SafeHtml {
  const parsed = parseInstant(instant);
  if (parsed === undefined) return html`${instant}`;
  const iso = new Date(Number(parsed / 1_000_000n)).toISOString();
  const time = iso.slice(11, 19).replace(/:00$/, '');
  return html`<time datetime="${instant}">${iso.slice(0, 10)} ${time} UTC</time>`;
}
