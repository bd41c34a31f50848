import { html, type SafeHtml } from './html.ts';

/** Characters of a word that fits next to the content at the common size, and at the next smaller one. */
const fits = 16;
const fitsSmaller = 22;

/**
 * The heading of a page. It breaks between words and, if they are long, after the separators of identifiers (`_`, `/`,
 * `.`), but never inside a word: one that is too long makes it smaller.
 */
export function heading(title: string): SafeHtml {
  const words = title
    .split(/(?<=\s)/)
    .map((word) => (word.trim().length > fits ? word.split(/(?<=[_/.:@=])/) : [word]));
  // Browsers break at hyphens themselves.
  const longest = Math.max(
    ...words.flat().flatMap((part) => part.split('-').map((one) => one.trim().length)),
  );
  const look = longest <= fits ? undefined : longest <= fitsSmaller ? 'long' : 'longest';
  const text = words.map((parts) => parts.map((part, index) => html`${index > 0 && html`<wbr>`}${part}`));
  return html`<h1${look !== undefined && html` class="${look}"`}>${text}</h1>`;
}
