import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { html } from '../../../web/pages/html.ts';
import { layout } from '../../../web/pages/layout.ts';
import { standalonePageHeaders } from '../../../web/pages/page-headers.ts';

const site = { name: 'Test' };

describe('a page', () => {
  test('escapes its title in both places', () => {
    const { markup } = layout({ site, title: '</title><b>', body: '' });
    expect(markup).toContain('<title>&#60;/title&#62;&#60;b&#62; · Gatehouse</title>');
    expect(markup).toContain('<h1>&#60;/title&#62;&#60;b&#62;</h1>');
  });

  test('marks the place in the navigation that it belongs to', () => {
    const navigation = [
      { href: '/a', text: 'A' },
      { href: '/b', text: 'B' },
    ];
    const { markup } = layout({ site, title: 'T', body: '', navigation, current: '/b' });
    expect(markup).toContain('<li><a href="/a">A</a></li><li><a href="/b" aria-current="page">B</a></li>');
  });

  test('with assets refers to them, and has no style of its own', () => {
    const { markup } = layout({ site: { ...site, assets: '/x', home: '/' }, title: 'T', body: html`<p>` });
    expect(markup).toMatch(/<link rel="stylesheet" href="\/x\/style\.\w+\.css">/);
    expect(markup).not.toContain('<style>');
  });

  test('that stands alone has its style in it, which its headers allow, and no script', () => {
    const { markup } = layout({ site, title: 'T', body: '' });
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(markup) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(standalonePageHeaders['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
    expect(markup).not.toMatch(/<script|<link/);
  });
});
