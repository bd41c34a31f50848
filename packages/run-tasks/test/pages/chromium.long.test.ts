import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import { accessibilityProblems } from '../../../host/test/pages/accessibility.ts';
import { looks, openWatched, pictureOf, type WatchedPage } from '../../../host/test/pages/watched-page.ts';
import type { WatchedChange } from '../../src/watch/watched-stack.ts';
import { delivery, run, startPages, task, watchedStack } from './page-server.ts';

const change = (kind: 'create' | 'update' | 'replace' | 'delete', title: string, differences?: string[]) => ({
  kind,
  title,
  children: [],
  ...(differences && { differences }),
});
const outcomes: Outcome[] = [
  {
    outcomeId: 'everyone-admin',
    description: 'Everyone who signs in at staff would have secrets-admin',
    body: '# Who gains\n\n| Who | Gains |\n|---|---|\n| everyone at `staff` | `secrets-admin` |\n\n- a list\n\n[The rule](https://gatehouse.example/rules)',
    url: 'https://gatehouse.example/findings/everyone-admin',
    tags: {
      Severity: [{ label: 'High', level: 'error' }],
      Status: [{ label: 'Failed', level: 'error' }],
      'Access change': [{ label: 'gains', level: 'warning' }],
      Rule: [{ label: 'everyone-gains', level: 'none' }],
    },
  },
  {
    outcomeId: 'ttl',
    description: 'Tokens of the role reader would live for 32 days',
    tags: { severity: [{ label: 'Low', level: 'info' }], status: [{ label: 'Warned', level: 'warning' }] },
  },
  { outcomeId: 'plain', description: 'Three roles are as they were' },
];
const stopped = run({
  id: 'run-3',
  status: 'stopped',
  message: 'Give everyone at staff the administrators’ policy',
  reason: 'Blocked at post_plan by review (failed).',
  endedAt: '2026-11-20T10:02:00.000Z',
  tasks: [
    task({ id: 'taskrs-1', stage: 'pre_plan', name: 'declared-state', enforcement: 'advisory' }),
    task({
      id: 'taskrs-2',
      status: 'failed',
      message: 'One finding of level error.',
      url: 'https://gatehouse.example/reviews/1',
      outcomes,
    }),
    task({
      id: 'taskrs-3',
      name: 'slow',
      enforcement: 'advisory',
      acceptedAt: null,
      attempts: 9,
      status: 'errored',
      message: 'No final status came in time.',
      trouble: 'The address answers 503.',
    }),
  ],
});
const running = run({ tasks: [task({ status: 'running', message: 'Reading the plan.', endedAt: null })] });
const ended = delivery({
  id: 'ended',
  status: 'given_up',
  error: 'The platform does not take the result: 404.',
  endedAt: '2026-11-20T10:09:00.000Z',
  result: { status: 'failed', message: 'One finding of level error.', outcomes },
});

const unusual = ['x'.repeat(200), 'قارئ الأسرار', 'team 🧑‍💻', 'a\u202eb', 'ü'.repeat(200)];
/** All of a first deployment is new: names that pages must bear, and 40 groups that gain. */
const firstRun = run({
  id: 'run-8',
  status: 'waiting_for_confirmation',
  message: unusual.join(' '),
  stack: 'prod',
  gains: 'some',
  gained: [
    '40 groups gain access.',
    ...Array.from({ length: 40 }, (_, at) => `New: group ${unusual[at % 5]}`),
  ],
  changes: {
    counts: { create: 60 },
    unlisted: 0,
    resources: Array.from({ length: 60 }, (_, at) =>
      change('create', `${at % 2 ? 'role' : 'group'} ${unusual[at % 5]}`),
    ),
  },
});

const since = Date.parse('2026-11-20T09:00:00Z');
const drifting = [
  '~  role cluster/web  ttl: 2h, declared 10m',
  `~  policy ${'p'.repeat(120)}  text: not as declared\n     - path "secret/data/*" {\n     + path "*" {`,
];
const watchedStacks = [
  watchedStack('shop/prod'),
  watchedStack('shop/drifting', {
    outcome: 'drift',
    summary: '2 of 12 differ',
    driftAt: since,
    sinceAt: since,
    reviewId: 'run-6',
    findings: drifting.map((text) => ({ text, since })),
    reviewedAt: since,
  }),
  watchedStack('shop/broken', {
    outcome: 'failed',
    summary: 'namespace_not_found',
    seenAt: undefined,
    sinceAt: since,
    problem: 'The secrets service has no such namespace.\n  given: team',
  }),
  watchedStack(`shop/${'a-long-name-of-a-stack'.repeat(4)}`, {
    listedAt: 0,
    comparedWith: 'not a git checkout',
  }),
];
const watchedChange: WatchedChange = {
  changedAt: since,
  outcome: 'drift',
  summary: '2 of 12 differ',
  comparedWith: 'commit 1a2b3c4d5e6f',
  appeared: drifting,
  gone: ['-  role cluster/backup is missing'],
};

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
  for (const one of [
    running,
    run({ id: 'run-2', status: 'applied', stack: 'prod', isSpeculative: true }),
    stopped,
    run({
      id: 'run-4',
      status: 'waiting_for_confirmation',
      planDigest: 'a'.repeat(64),
      commit: '0f3c5a'.padEnd(40, '0'),
      commitUrl: 'https://code.example.com/login/commit/0f3c5a',
      changes: {
        counts: { create: 2, update: 1, replace: 1, delete: 1, same: 12 },
        unlisted: 0,
        resources: [
          {
            kind: 'same',
            title: 'AuthMethod staff',
            children: [
              change('create', 'role staff-reader'),
              change('update', 'role staff-web', ['ttl: 10m → 15m', `policies: + "${'p'.repeat(200)}"`]),
              change('replace', 'method staff'),
            ],
          },
          change('create', 'policy a-policy-with-quite-a-long-name-for-readers'),
          change('delete', 'policy old'),
        ],
      },
      gains: 'some',
      lost: ['Closed way in: role old of staff'],
      gained: [
        '1 role gains access.',
        'New way in: role reader of staff',
        '  anyone of the group admins can read secret/data/app',
      ],
    }),
    firstRun,
    run({ id: 'run-6', status: 'applying', applyLog: ['created AuthBackend staff', 'deleted Policy old'] }),
    run({
      id: 'run-5',
      status: 'waiting_for_acceptance',
      acceptWith: { namespace: '', name: 'gatehouse-accept' },
      toAccept: ['taskrs-9'],
      tasks: [task({ id: 'taskrs-9', name: 'policy-check', status: 'failed' })],
      decisions: [
        {
          kind: 'retried',
          task: 'taskrs-9',
          by: 'staff-alice',
          entity: null,
          reason: null,
          planDigest: null,
          decidedAt: '2026-11-20T10:00:00.000Z',
        },
      ],
    }),
  ]) {
    pages().runs.set(one.id, one);
  }
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

    test('names of any kind widen no page, and a usual first run stays short', async () => {
      await page.goto(`${pages().address}/ui/runs/run-8`);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const groups = Array.from({ length: 12 }, (_, at) => `New: group ${at}`);
      const gained = ['12 groups and roles gain access.', ...groups];
      pages().runs.set('run-9', { ...firstRun, id: 'run-9', message: 'The first', gained });
      await page.goto(`${pages().address}/ui/runs/run-9`);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      if (width === 1280) expect(height).toBeLessThan(2000);
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

    test('a run shows what happens to it as it happens, and keeps open what one opened', async () => {
      const reported = task({ status: 'running', outcomes: outcomes.slice(0, 1), endedAt: null });
      pages().change({ ...running, tasks: [reported] });
      await page.goto(`${pages().address}/ui/runs/run-1`);
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

    test('outcomes are filtered and sorted', async () => {
      await page.goto(`${pages().address}/ui/runs/run-3`);
      const shown = () => page.locator('.outcomes .description').allTextContents();
      await page.getByLabel('Sorted by').selectOption('description');
      await page.getByRole('button', { name: 'Show' }).click();
      expect((await shown()).map((text) => text.slice(0, 6))).toEqual(['Everyo', 'Three ', 'Tokens']);
      await page.getByLabel('Severity').selectOption('Low');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await shown()).toEqual(['Tokens of the role reader would live for 32 days']);
      expect(await page.getByLabel('Sorted by').inputValue()).toBe('description');
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
