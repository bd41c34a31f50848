import { beforeEach, expect, test } from '@jest/globals';
import { graphOf, policy, role } from '../../core/review/graphs.ts';
import { mapOf } from '../../core/review/map/small-map.ts';
import { HttpBrowser, textIn } from '../../embedded/secrets/ui/http-browser.ts';
import { pagesPerTest, run } from './page-server.ts';

const state = (name: string, capability: string) =>
  graphOf({ roles: [role(name, { policies: ['p'] })], policies: [policy('p', ['x', capability])] });
const path = '/ui/runs/run-1/access-map';

const { pages, browser } = pagesPerTest({ token: 'a-readers-token' });
beforeEach(() => {
  pages().runs.set('run-1', run({ hasAccessMap: true }));
  pages().maps.set('run-1', mapOf(state('<new>', 'update'), state('old', 'read')));
});

test('the map of a run says what appears and what goes, with nothing inline', async () => {
  const shown = await browser().open(path);
  expect(textIn(shown.text)).toMatch(/\+ role <new> of auth\/ci.*− role old of auth\/ci/);
  expect(shown.text).not.toMatch(/<style|style=|<script>|<new>/);
  expect(shown.text).toContain(`<link rel="stylesheet" href="${path}/style.css">`);
});

test('its style is another file, with colors for the drawing alone', async () => {
  const style = await browser().send(`${path}/style.css`);
  expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  const text = await style.text();
  expect(text).toContain('.map:has(#n1:target)');
  expect(text).not.toContain(':root');
});

test('a run without a map has no link to one, and no such page', async () => {
  expect((await browser().open('/ui/runs/run-1')).text).toContain(`href="${path}"`);
  pages().runs.set('run-1', run());
  pages().maps.clear();
  expect((await browser().open('/ui/runs/run-1')).text).not.toContain('access-map');
  expect([(await browser().open(path)).status, (await browser().send(`${path}/style.css`)).status]).toEqual([
    404, 404,
  ]);
});

test('people who are not signed in come back to it after they have', async () => {
  const other = new HttpBrowser(pages().address);
  const { path: asked } = await other.open(path);
  expect(asked).toBe(`/ui/sign-in?to=${encodeURIComponent(path)}`);
  expect((await other.submit('/ui/sign-in', { token: 'a-readers-token', to: path })).path).toBe(path);
});
