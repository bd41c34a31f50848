import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { until } from '../../../../test/harness/until.ts';
import { accessibilityProblems, axeViolations } from '../../../host/test/pages/accessibility.ts';
import { looks, openWatched, pictureOf, type WatchedPage } from '../../../host/test/pages/watched-page.ts';
import {
  allRuns,
  ended,
  longRun,
  outcomes,
  running,
  stopped,
  watchedChange,
  watchedStacks,
} from './page-samples.ts';
import { delivery, run, startPages, task } from './page-server.ts';

const pages = started(startPages);
beforeAll(async () => {
  pages().people.set('a-deployers-token', {
    id: 'alice',
    name: 'staff-alice',
    mayAct: true,
    policies: [{ namespace: '', name: 'gatehouse-accept' }],
  });
});
beforeEach(() => {
  pages().acts.length = 0;
  for (const one of allRuns) pages().runs.set(one.id, one);
  for (const one of [delivery(), ended]) pages().deliveries.set(one.id, one);
  for (const one of watchedStacks) pages().watched.set(one.id, one);
  pages().watchedChanges.splice(0, Infinity, watchedChange);
});

describeWithChromium('the pages of runs and deliveries', (browser) => {
  async function signedIn(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await openWatched(browser(), options);
    await watched.page.goto(pages().address);
    await watched.page.getByLabel('Token').fill('a-deployers-token');
    await watched.page.getByRole('button', { name: 'Sign in with the token' }).click();
    await watched.page.waitForURL(`${pages().address}/ui/runs`);
    return watched;
  }

  describe.each(looks)('in %s, %i pixels wide,', (colorScheme, width) => {
    let page: Page;
    const watched = started(() => signedIn({ colorScheme, viewport: { width, height: 800 } }));
    beforeAll(async () => {
      page = watched().page;
    });

    test.each([
      ['the sign-in page', '/ui/sign-in?notice=ended'],
      ['the runs', '/ui/runs'],
      ['the runs of a stack', '/ui/runs?stack=prod'],
      ['a run under way', '/ui/runs/run-1'],
      ['a run that was stopped', '/ui/runs/run-3'],
      ['a run that waits for confirmation', '/ui/runs/run-4'],
      ['a run that waits for acceptance', '/ui/runs/run-5'],
      ['a run that is applied', '/ui/runs/run-6'],
      ['a first run with unusual names', '/ui/runs/run-8'],
      ['no run that matches', '/ui/runs?search=x&status=failed&stack=none'],
      ['the deliveries', '/ui/deliveries'],
      ['a delivery', '/ui/deliveries/ended'],
      ['the watched stacks', '/ui/watch'],
      ['a watched stack with drift', '/ui/watch/shop%2Fdrifting'],
      ['a watched stack that cannot be read', '/ui/watch/shop%2Fbroken'],
      ['a page that is not there', '/ui/runs/none'],
    ])('%s can be read, heard and operated by everyone', async (name, path) => {
      await page.goto(pages().address + path);
      await page.evaluate('inPage.openEverything()');
      const folder = process.env['GATEHOUSE_SCREENSHOTS'];
      if (folder)
        await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      expect(watched().complaints).toEqual([]);
    });

    test.each([
      'Give everyone at staff the administrators’ policy',
      'Umbenennung der Berechtigungsverwaltung',
      'Infrastructureconfigurationmanagementservice',
      'kubernetes_authentication_backend/production_west.example.com',
    ])('a heading never breaks inside a word, and no page is wider than its window: %s', async (message) => {
      pages().runs.set('run-7', run({ id: 'run-7', message }));
      await page.goto(`${pages().address}/ui/runs/run-7`);
      expect(await page.evaluate('inPage.brokenWords("h1")')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    test('names of any kind widen no page', async () => {
      await page.goto(`${pages().address}/ui/runs/run-8`);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    test('a run with findings, rows and a log is short while they are folded', async () => {
      pages().runs.set('run-9', longRun);
      await page.goto(`${pages().address}/ui/runs/run-9`);
      await page.evaluate('inPage.closeEverything()');
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      expect(height).toBeLessThanOrEqual(width === 1280 ? 1600 : 2400);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    test('there is something to see, as bright as asked for', async () => {
      await page.goto(`${pages().address}/ui/runs/run-3`);
      const { colors, brightness } = await pictureOf(browser(), page);
      expect(colors).toBeGreaterThan(20);
      if (colorScheme === 'light') expect(brightness).toBeGreaterThan(0.7);
      else expect(brightness).toBeLessThan(0.3);
    });
  });

  describe('in use', () => {
    let watched: WatchedPage;
    let page: Page;
    beforeEach(async () => {
      watched = await signedIn();
      page = watched.page;
    });
    afterEach(async () => {
      await watched.close();
      await until(() => pages().streams() === 0);
      expect(watched.complaints).toEqual([]);
      expect([...watched.origins]).toEqual([pages().address]);
    });

    test('the first screen has all that a decision needs, and the rest is told once', async () => {
      pages().runs.set('run-9', longRun);
      await page.goto(`${pages().address}/ui/runs/run-9`);
      const isOnScreen = async (locator: ReturnType<Page['getByText']>) => {
        const box = await locator.first().boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= 800;
      };
      const parts = [
        page.getByRole('heading', { name: longRun.message }),
        page.getByText('60 to create: method ci'),
        page.getByText('staff-alice, 2026-11-20 10:00 UTC'),
        page.getByText('12 roles gain access.'),
        page.getByText('Everyone who signs in at staff would have secrets-admin'),
        page.getByRole('heading', { name: 'Waiting for confirmation' }),
        page.getByRole('button', { name: 'Confirm the plan' }),
        page.getByRole('button', { name: 'Discard the plan' }),
        page.getByText('10:00:01 UTC, 6 s'),
        page.getByRole('listitem').filter({ hasText: 'Post-apply' }),
      ];
      expect(await Promise.all(parts.map(isOnScreen))).toEqual(parts.map(() => true));
      await page.evaluate('inPage.openEverything()');
      expect(await page.getByText('role ci/job-3: ').count()).toBe(1);
      expect(await page.getByText('12 roles gain access.').count()).toBe(1);
    });

    test('a run shows what happens to it as it happens, and keeps open what one opened', async () => {
      const reported = task({ status: 'running', outcomes: outcomes.slice(0, 1), endedAt: null });
      pages().change({ ...running, tasks: [reported] });
      await page.goto(`${pages().address}/ui/runs/run-1`);
      await page.getByRole('heading', { name: 'Run tasks' }).click();
      await page.getByText('Details').click();
      pages().change({ ...running, tasks: [{ ...reported, outcomes }] });
      await page.getByText('Three roles are as they were').waitFor();
      expect(await page.getByRole('heading', { name: 'Who gains' }).isVisible()).toBe(true);
      expect(await page.evaluate('inPage.focused()')).toContain('Details');
      pages().change({ ...stopped, id: 'run-1' });
      await page.getByText('Blocked by review').waitFor();
      expect(await page.getByRole('button', { name: 'Run again' }).isVisible()).toBe(true);
      // After its end it asks for nothing more.
      expect(await page.locator('[data-live]').count()).toBe(0);
      await until(() => pages().streams() === 0);
    });

    test('outcomes are filtered and sorted, and stay open and in view', async () => {
      await page.goto(`${pages().address}/ui/runs/run-3`);
      await page.getByRole('heading', { name: 'Run tasks' }).click();
      const shown = () => page.locator('.outcomes .description').allTextContents();
      await page.getByLabel('Sorted by').selectOption('description');
      await page.getByRole('button', { name: 'Show' }).click();
      expect((await shown()).map((text) => text.slice(0, 6))).toEqual(['Everyo', 'Three ', 'Tokens']);
      await page.getByLabel('Severity').selectOption('Low');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await shown()).toEqual(['Tokens of the role reader would live for 32 days']);
      expect(await page.getByLabel('Sorted by').inputValue()).toBe('description');
      expect(new URL(page.url()).hash).toBe('#tasks');
    });

    test('a run is canceled by keyboard alone', async () => {
      await page.goto(`${pages().address}/ui/runs/run-1`);
      await press('Cancel the run');
      await Promise.all([posted(page), page.keyboard.press('Enter')]);
      expect(pages().acts).toEqual(['canceled run-1 staff-alice']);
    });

    test('who was signed out meanwhile is led to the sign-in page', async () => {
      await page.goto(`${pages().address}/ui/runs/run-1`);
      await until(() => pages().streams() > 0);
      const person = pages().people.get('a-deployers-token');
      pages().people.delete('a-deployers-token');
      try {
        pages().change(running);
        await page.waitForURL('**/ui/sign-in?**');
      } finally {
        if (person !== undefined) pages().people.set('a-deployers-token', person);
      }
    });

    async function press(name: string): Promise<void> {
      for (let count = 0; count < 25; count += 1) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('inPage.focused()')) === name) return;
      }
      throw new Error(`the focus never came to ${name}`);
    }
  });

  test('without script a run loads itself again, and all else works', async () => {
    const watched = await signedIn({ javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(`${pages().address}/ui/runs/run-1`);
    pages().change({ ...stopped, id: 'run-1' });
    await page.getByText('Blocked by review').waitFor({ timeout: 10_000 });
    await page.getByRole('heading', { name: 'Run tasks' }).click();
    await page.getByText('Details').click();
    await page.getByRole('heading', { name: 'Who gains' }).waitFor();
    await Promise.all([posted(page), page.getByRole('button', { name: 'Run again' }).click()]);
    await watched.close();
    expect([pages().acts, watched.complaints]).toEqual([['rerun run-1 staff-alice'], []]);
  });
});

/** Waits until a form is answered, and the page that it leads to is there: a browser may hang that is closed in between. */
async function posted(page: Page): Promise<void> {
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('load'),
  ]);
}
