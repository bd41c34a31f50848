import { visible } from '@gatehouse/core/values';
import { Marked } from 'marked';
import sanitize from 'sanitize-html';
import { isWebLink } from './content.ts';
import { html, SafeHtml } from './html.ts';

/** Characters; longer texts are shown as they are, as the parser can take quadratic time. */
export const longestMarkdown = 10_000;

const marked = new Marked({ gfm: true, breaks: true, async: false });

/**
 * Most runs of `*`, `_` and `~` in a paragraph. In a paragraph with more, they are plain text: the parser looks for the end
 * of each run.
 */
const mostMarks = 200;
let last = { paragraph: '', isOver: false };
function isOver(paragraph: string): boolean {
  if (paragraph !== last.paragraph) {
    last = { paragraph, isOver: (paragraph.match(/[*_~]+/g)?.length ?? 0) > mostMarks };
  }
  return last.isOver;
}
marked.use({
  tokenizer: {
    // False selects the parser's own tokenizer, undefined skips it.
    emStrong: (_text, paragraph) => (isOver(paragraph) ? undefined : false),
    del: (_text, paragraph) => (isOver(paragraph) ? undefined : false),
  },
});

/** Headings in a text move down two levels, because the page itself uses the first two. */
const headings = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' };

const allowed: sanitize.IOptions = {
  allowedTags: [
    'p',
    'br',
    'hr',
    'h3',
    'h4',
    'h5',
    'h6',
    'blockquote',
    'pre',
    'ul',
    'ol',
    'li',
    'strong',
    'em',
    'del',
    'code',
    'a',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'], th: ['scope'] },
  allowedSchemes: ['http', 'https'],
  allowProtocolRelative: false,
  transformTags: {
    ...headings,
    th: sanitize.simpleTransform('th', { scope: 'col' }, false),
    // Text from outside must not link into this site.
    a: (_tag, { href = '' }) => ({
      tagName: 'a',
      attribs: isWebLink(href) ? { href, rel: 'noopener noreferrer nofollow' } : ({} as sanitize.Attributes),
    }),
  },
};

/**
 * Renders Markdown from outside: text, lists, tables, code and links to http and https. Everything else is dropped, and
 * headings begin at the third level.
 */
export function renderMarkdown(text: string): SafeHtml {
  const unformatted = html`<pre>${text}</pre>`;
  if (text.length > longestMarkdown) return unformatted;
  try {
    // Controls are made visible last, because Markdown may write them as entities.
    return new SafeHtml(visible(sanitize(marked.parse(text, { async: false }), allowed)));
  } catch {
    // Thousands of nested quotations overflow the parser's stack.
    return unformatted;
  }
}
