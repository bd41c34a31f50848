import { visible } from '../../graph/values/visible.ts';

/**
 * Text from outside, for a comment at a code host: no Markdown, HTML or link comes of it, no one is notified, no issue is
 * mentioned, and no line of it is a command. White space becomes single blanks.
 */
export function inertText(text: string): string {
  return (
    escaped(text)
      // Hosts look for names in what is shown, where an entity is a sign again: something invisible stands behind the sign.
      .replace(/(&#(?:33|35|36|37|38|64|94|126);)(?=[\w&"])/g, '$1&#8203;')
      .replace(/\b(GH-)(?=\d)/gi, '$1&#8203;')
      .replace(/^\//, '&#47;')
  );
}

/** Sentences of our own, with text from outside in them: what stands in backticks is code, and all else as in `inertText`. */
export function inertProse(text: string): string {
  return text
    .split(codePart)
    .map((part, at) => (at % 2 === 1 ? inertCode(part) : inertText(part)))
    .join('');
}

/** What a person would type, in sentences: each second part of a text that is split by it. */
export const codePart = /`([^`]+)`/;

/** The same as code, in which hosts look for nothing: it can be copied as it is. */
export function inertCode(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

function escaped(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .replace(/[&<>`*_[\]#|~\\@!$%^]|:(?=\/\/)|(?<=www)\./gi, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A line with what explains it, folded. @param isOpen it is unfolded at first. Defaults to false. */
export function folded(summary: string, detail: string, isOpen = false): string {
  return `\n<details${isOpen ? ' open' : ''}><summary>${summary}</summary>\n\n${detail}\n\n</details>`;
}

/** Lines from outside as they are, in which hosts look for nothing either. */
export function inertBlock(text: string): string {
  const lines = visible(text).trimEnd().split('\n');
  return `<pre>\n${lines.map((line) => line.replace(/[&<>]|^\s*\//g, entities)).join('\n')}\n</pre>`;
}

function entities(signs: string): string {
  return signs.replace(/[&<>/]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
