import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { html } from '../../src/pages/html.ts';
import { heading, type PageArgs, Site, type SiteArgs, standalonePageHeaders } from '../../src/pages/site.ts';

const formToken = html`<input>`;
const layout = (page: PageArgs, args: Partial<SiteArgs> = {}) =>
  new Site({ name: 'Test', ...args }).render(page);

describe('a page', () => {
  test('names the namespace that it is about in its header, and the root namespace not at all', () => {
    const shown = (page: Partial<PageArgs>) => layout({ title: 'T', body: '', ...page }).markup;
    const named = 'Namespace <span class="id">a&#60;b</span>';
    expect(shown({ namespace: 'a<b' })).toContain(named);
    expect(shown({ visit: { namespace: 'a<b', formToken } })).toContain(named);
    for (const namespace of ['', null, undefined]) expect(shown({ namespace })).not.toContain('Namespace');
  });

  test('escapes its title in both places', () => {
    const { markup } = layout({ title: '</title><b>', body: '' });
    expect(markup).toContain('<title>&#60;/title&#62;&#60;b&#62; · Gatehouse</title>');
    expect(markup).toContain('<h1>&#60;/title&#62;&#60;b&#62;</h1>');
  });

  test('marks the place in the navigation that it belongs to', () => {
    const navigation = [
      { href: '/a', text: 'A' },
      { href: '/b', text: 'B' },
    ];
    const { markup } = layout({ title: 'T', body: '', current: '/b', visit: { formToken } }, { navigation });
    expect(markup).toContain('<li><a href="/a">A</a></li><li><a href="/b" aria-current="page">B</a></li>');
  });

  test('with assets refers to them, and has no style of its own', () => {
    const { markup } = layout({ title: 'T', body: html`<p>` }, { home: '/' });
    expect(markup).toMatch(/<link rel="stylesheet" href="\/ui\/assets\/style\.\w+\.css">/);
    expect(markup).not.toContain('<style>');
  });

  test('that stands alone has its style in it, which its headers allow, and no script', () => {
    const { markup } = layout({ title: 'T', body: '' });
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(markup) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(standalonePageHeaders['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
    expect(markup).not.toMatch(/<script|<link/);
  });
});

describe('the heading of a page', () => {
  test.each([
    ['Runs', '<h1>Runs</h1>'],
    ['A run of the shop team', '<h1>A run of the shop team</h1>'],
    ['', '<h1></h1>'],
    ['a_b/c.d', '<h1>a_b/c.d</h1>'],
    ['of a_long_name/at.example', '<h1>of a_<wbr>long_<wbr>name/<wbr>at.<wbr>example</h1>'],
    ['a-long-name-with-hyphens', '<h1>a-long-name-with-hyphens</h1>'],
    ['<b>_that_is_bold_</b>', '<h1>&#60;b&#62;_<wbr>that_<wbr>is_<wbr>bold_<wbr>&#60;/<wbr>b&#62;</h1>'],
  ])('%j breaks after the separators of long identifiers alone', (title, markup) => {
    expect(heading(title).markup).toBe(markup);
  });

  test.each([
    [16, ''],
    [17, ' class="long"'],
    [22, ' class="long"'],
    [23, ' class="longest"'],
    [48, ' class="longest"'],
    [49, ' class="longest endless"'],
  ])('is smaller with a word of %i characters: %s', (length, look) => {
    const word = 'x'.repeat(length);
    expect(heading(`of ${word} and`).markup).toBe(`<h1${look}>of ${word} and</h1>`);
  });
});
