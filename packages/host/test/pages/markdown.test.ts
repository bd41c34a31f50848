import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isWebLink } from '../../src/pages/content.ts';
import { longestMarkdown, renderMarkdown } from '../../src/pages/markdown.ts';

const rendered = (text: string) => renderMarkdown(text).markup.trim();

describe('Markdown from outside', () => {
  test.each([
    [
      'emphasis and code',
      'Secrets **live** under `secret/<x>`.',
      'live</strong> under <code>secret/&lt;x&gt;</code>',
    ],
    ['line ends', 'one\ntwo', '<p>one<br />two</p>'],
    ['lists', '- a\n- b', '<li>a</li>\n<li>b</li>'],
    ['headings, two levels below the page’s own', '# Title', '<h3>Title</h3>'],
    ['tables', '| a |\n|---|\n| 1 |', '<th scope="col">a</th>'],
    [
      'links',
      '[x](https://e.example/?a=1&b)',
      '<a href="https://e.example/?a=1&amp;b" rel="noopener noreferrer nofollow">x</a>',
    ],
  ])('has %s', (_, text, markup) => {
    expect(rendered(text)).toContain(markup);
  });

  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['an image', '<img src=x onerror=alert(1)>'],
    ['an image in Markdown', '![x](https://e.example/pixel.gif)'],
    ['a style', '<p style="position:fixed" class="notice" id="main">x</p>'],
    ['a frame', '<iframe srcdoc="<script>alert(1)</script>"></iframe>'],
    [
      'a form',
      '<form action=https://e.example><input name=token><button formaction=//e.example>x</button></form>',
    ],
    ['vector graphics', '<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>'],
    ['mathematics', '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>'],
    ['a link of a script', '[x](javascript:alert(1)) <a href="JaVaScRiPt:alert(1)">x</a>'],
    ['a link of a script with entities', '[x](java&#115;cript&colon;alert(1))'],
    ['a link of data', '<a href="data:text/html,<script>alert(1)</script>">x</a>'],
    ['a link into this site', '[x](/ui/sign-out) [y](//e.example) [z](#main) <a href="token">w</a>'],
    ['a base', '<base href="https://e.example/">'],
    ['a refresh', '<meta http-equiv=refresh content="0;url=https://e.example">'],
    ['half a tag', '<p title="<img src=x onerror=alert(1)>">x'],
    ['a comment', '<!--><img src=x onerror=alert(1)>-->'],
  ])('has no %s', (_, text) => {
    const markup = rendered(text);
    expect(markup).not.toMatch(/<(?!\/?(?:p|br|a|table|thead|tbody|tr|th|td)\b)/);
    expect(markup).not.toMatch(/<[^>]*\s(?:on\w+|style|class|id|src|action|title)\s*=/i);
    expect(markup).not.toMatch(/href="(?!https?:)/i);
  });

  test('has no emphasis in a paragraph with hundreds of marks, which takes seconds to read', () => {
    const many = '**a** _b_ ~~c~~ '.repeat(50).trim();
    expect(rendered(`${many}\n\n**a** _b_ ~~c~~`)).toBe(
      `<p>${many}</p>\n<p><strong>a</strong> <em>b</em> <del>c</del></p>`,
    );
  });

  test('comes to allowed tags and attributes only, whatever it is', () => {
    const pieces = fc.constantFrom(
      ...'<>"\'`[]()!*\n &#/x',
      'javascript:',
      '<a href=',
      '<img onerror=',
      '<script>',
      '</',
      '<!--',
      'https://e.example',
      '<svg',
      '<p title="',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const tags = rendered(parts.join('')).match(/<[^>]*>/g) ?? [];
        for (const tag of tags) {
          expect(tag).toMatch(
            /^<(?:\/?[a-z0-9]+(?: \/)?|a href="https?:[^"<>]*" rel="noopener noreferrer nofollow"|ol start="\d+"|th scope="col")>$/,
          );
          expect(tag).not.toMatch(/^<\/?(?:script|img|svg|style|iframe|form|input|h1|h2)\b/);
        }
      }),
    );
  });

  test('that is longer than any message is shown as it is', () => {
    expect(rendered(`*${'x'.repeat(longestMarkdown)}*`)).toMatch(/^<pre>\*x+\*<\/pre>$/);
  });

  test('that would end the parser’s stack is shown as it is', () => {
    const text = '>'.repeat(longestMarkdown);
    expect(() => rendered(text)).not.toThrow();
  });
});

test.each([
  ['https://e.example/x', true],
  ['HTTP://e.example', true],
  ['https://', false],
  ['//e.example', false],
  ['/ui/', false],
  ['javascript:alert(1)', false],
  [' https://e.example', false],
  ['https:e.example', false],
  ['ftp://e.example', false],
  ['', false],
])('%j is a link of the web: %s', (text, expected) => {
  expect(isWebLink(text)).toBe(expected);
});
