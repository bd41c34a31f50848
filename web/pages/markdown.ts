import { Marked } from 'marked';
import sanitize from 'sanitize-html';
import { isWebLink } from './content.ts';
import { html, SafeHtml } from './html.ts';

/**
 * Characters beyond which a text is shown as it is: the parser's time can grow with the square of what it is given.
 */
export const longestMarkdown = 20_000;

const marked = new Marked({ gfm: true, breaks: true, async: false });

/** The page around has the first two levels of headings to itself. */
const headings = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' };

const allowed: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'ul', 'ol', 'li'],
    ...['strong', 'em', 'del', 'code', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'], th: ['scope'] },
  allowedSchemes: ['http', 'https'],
  allowProtocolRelative: false,
  transformTags: {
    ...headings,
    th: sanitize.simpleTransform('th', { scope: 'col' }, false),
    // A link that leads nowhere but into this site is none that an outsider should make.
    a: (_tag, { href = '' }) => ({
      tagName: 'a',
      attribs: isWebLink(href) ? webLink(href) : {},
    }),
  },
};

function webLink(href: string): Record<string, string> {
  return { href, rel: 'noopener noreferrer nofollow' };
}

/**
 * Markdown from outside as markup: text, lists, tables, code and links to http and https. Scripts, styles, images,
 * frames, forms and attributes are dropped; headings begin at the third level.
 */
export function renderMarkdown(text: string): SafeHtml {
  const asItIs = html`<pre>${text}</pre>`;
  if (text.length > longestMarkdown) return asItIs;
  try {
    return new SafeHtml(sanitize(marked.parse(text, { async: false }), allowed));
  } catch {
    // Quotations in quotations, thousands deep, end the parser's stack.
    return asItIs;
  }
}
