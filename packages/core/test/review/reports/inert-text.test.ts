import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inertCode, inertProse, inertText } from '../../../src/review/reports/inert-text.ts';

/** What a host's filters look at: the text that is shown. */
const shown = (text: string) =>
  text.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)));
const visible = (text: string) => shown(text).replaceAll('\u200b', '');

describe('text from outside in a comment', () => {
  test.each([
    ['a mention', 'ask @alice', /@\w/],
    ['a mention of a team', '(@acme/admins)', /@\w/],
    ['an address of mail', 'alice@example.com', /@\w/],
    ['an issue', 'fixes #12', /#\d/],
    ['an issue, older', 'closes GH-12', /GH-\d/],
    ['a merge request', 'see !7', /!\d/],
    ['a label', '~bug ~"two words"', /~[\w"]/],
    ['a milestone', '%3', /%\d/],
    ['an epic', '&5', /&\d/],
    ['mathematics', '$x$', /\$x/],
    ['a command', '/close', /^\/(?!\u200b)/],
  ])('is not %s', (_, text, pattern) => {
    const inert = inertText(text);
    expect(visible(inert)).toBe(text);
    // A command is looked for in what is written, the others in what is shown.
    expect(text.startsWith('/') ? inert : shown(inert)).not.toMatch(pattern);
  });

  test('has no sign left that Markdown or HTML reads', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const inert of [inertText(text), inertCode(text).slice(6, -7)]) {
          expect(inert.replace(/&#\d+;/g, '')).not.toMatch(/[&<>`*_[\]#|~\\@!$%^\n]|:\/\/|www\./i);
          expect(visible(inert)).toBe(text.replace(/\s+/g, ' ').replaceAll('\u200b', ''));
        }
      }),
    );
  });

  test('is no link', () => {
    expect(inertText('see www.example.com or https://example.com')).toBe(
      'see www&#46;example.com or https&#58;//example.com',
    );
  });

  test('in code is as it was, to be copied', () => {
    expect(shown(inertCode('alice@example.com #1'))).toBe('<code>alice@example.com #1</code>');
  });
});

describe('sentences in a comment', () => {
  test('have code where they have backticks', () => {
    expect(inertProse('Use `sub` or `a_*`.')).toBe('Use <code>sub</code> or <code>a&#95;&#42;</code>.');
  });

  test('leave nothing that Markdown or HTML reads, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '<', '@a', ' ', '/x', '_')), (parts) => {
        const text = inertProse(parts.join(''));
        expect(text.replace(/&#\d+;|<\/?code>/g, '')).not.toMatch(/[&<>`*_@]/);
      }),
    );
  });
});
