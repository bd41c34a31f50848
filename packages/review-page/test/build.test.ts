import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { reviewPage } from '../build.ts';

const page = await reviewPage();

test('the page is one file of a megabyte and a half at most, 500 KB of it compressed', () => {
  expect(Buffer.byteLength(page)).toBeLessThan(1_500_000);
  expect(gzipSync(page, { level: 9 }).length).toBeLessThan(500_000);
});

test('the page loads nothing: no module of Node.js, no file next to it, no address', () => {
  expect(page).not.toMatch(/require\("node:|from"node:|import\("/);
  expect(page.replaceAll(/<script[\s\S]*?<\/script>|<style>[\s\S]*?<\/style>/g, '')).not.toMatch(
    /\b(?:src|href|action)="(?!#)/,
  );
  expect(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1]).not.toMatch(/@import|url\(/);
});

test('the policy of the page forbids all but its own script, style and worker', () => {
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    expect.stringMatching(/^script-src 'sha256-[^ ]+'$/),
    expect.stringMatching(/^style-src 'sha256-[^ ]+'$/),
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('the elements of the page end where they are meant to', () => {
  expect([...page.matchAll(/<script/gi)]).toHaveLength(3);
  expect([...page.matchAll(/<\/script/gi)]).toHaveLength(3);
  expect(page).not.toContain('<!--');
});
