import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listenForRedirect, type RedirectListener } from '../src/redirect-listener.ts';

let listener: RedirectListener;
beforeEach(async () => {
  listener = await listenForRedirect(0);
});
afterEach(() => listener.close());

const get = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

test('the first answer counts, and its browser waits for the end', async () => {
  const first = get(`${listener.redirectUri}?code=one&state=s`);
  expect(await listener.answer).toEqual({ code: 'one', state: 's' });
  expect((await get(`${listener.redirectUri}?code=two`)).status).toBe(409);
  listener.show('Signed in', '<b> & done');
  const { status, text, headers } = await first;
  expect([status, headers.get('content-security-policy'), headers.get('cache-control')]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
    'no-store',
  ]);
  expect(text).toContain('<p>&#60;b&#62; &#38; done</p>');
});

test.each([
  ['another path', '/', 'GET'],
  ['the page’s icon', '/favicon.ico', 'GET'],
  ['another method', '/oidc/callback', 'PUT'],
])('%s is no answer', async (_, path, method) => {
  const { status } = await get(new URL(path, listener.redirectUri).href, { method });
  expect(status).toBe(404);
  const real = get(`${listener.redirectUri}?code=one`);
  expect(await listener.answer).toEqual({ code: 'one' });
  listener.show('Signed in', '');
  await real;
});

test('a form that is too long is no answer', async () => {
  const { status } = await get(listener.redirectUri, { method: 'POST', body: `code=${'x'.repeat(200_000)}` });
  expect(status).toBe(413);
});

test('a browser that waits does not keep it from closing', async () => {
  const waiting = get(`${listener.redirectUri}?code=one`).catch((error: Error) => error.message);
  await listener.answer;
  await listener.close();
  expect(await waiting).toBe('fetch failed');
});
