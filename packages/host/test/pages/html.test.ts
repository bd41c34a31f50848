import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attributes, escapeHtml, html, SafeHtml } from '../../src/pages/html.ts';

test('escaped text has nothing that HTML takes for markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!#\d+;)/);
    }),
  );
});

test('escaped text is the text again once its entities are read', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(escapeHtml(text).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(
        text,
      );
    }),
  );
});

describe('a template', () => {
  test('escapes text, and a text that looks like safe markup', () => {
    const disguised: any = { markup: '<b>', toString: () => '<b>' };
    expect(html`<p title="${'"<'}">${'<i>&'} ${disguised}</p>`.markup).toBe(
      '<p title="&#34;&#60;">&#60;i&#62;&#38; &#60;b&#62;</p>',
    );
  });

  test('takes what another template made as it is, and lists of it', () => {
    expect(html`<ul>${['a', 'b'].map((text) => html`<li>${text}</li>`)}</ul>`.markup).toBe(
      '<ul><li>a</li><li>b</li></ul>',
    );
  });

  test.each([[null], [undefined], [false as const]])('has nothing where there is %s', (nothing) => {
    expect(html`<p>${nothing}</p>`.markup).toBe('<p></p>');
  });

  test('writes numbers, zero among them', () => {
    expect(html`${0} ${12}`.markup).toBe('0 12');
  });

  test('makes something that passes for safe, and its text does not', () => {
    expect([SafeHtml.is(html`<b>`), SafeHtml.is('<b>'), SafeHtml.is({ markup: '<b>' })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('attributes are quoted and escaped; true stands alone, false and undefined are left out', () => {
  const given = { value: '">', maxlength: 3, required: true, disabled: false, id: undefined };
  expect(html`<input${attributes(given)}>`.markup).toBe('<input value="&#34;&#62;" maxlength="3" required>');
});
