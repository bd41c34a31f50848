import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { accessibilityProblems, axeViolations } from '../../../host/test/pages/accessibility.ts';
import { looks, openWatched, pictureOf } from '../../../host/test/pages/watched-page.ts';
import { signInWithToken, startUiService, wireMessage } from './ui-service.ts';

const justLook = async () => {};

/** Every page for a signed-in person, and the first action there. */
const pages: [name: string, path: string, act: (page: Page) => Promise<unknown>][] = [
  ['the sign-in page', '/ui/sign-in', justLook],
  [
    'the sign-in page with everything open',
    '/ui/sign-in',
    (page) => page.evaluate('inPage.openEverything()'),
  ],
  ['the sign-in page with an alert', '/ui/vault/auth/staff/oidc/callback?state=x', justLook],
  ['who one is', '/ui/', justLook],
  ['the token', '/ui/', (page) => page.getByRole('button', { name: 'Show the token' }).click()],
  ['what one can reach', '/ui/reach', justLook],
  ['a page that is not there', '/ui/nothing', justLook],
];

const service = started(startUiService);
beforeAll(async () => {
  const messages = [
    { title: 'Maintenance', link: { Status: 'https://e.example' }, authenticated: false },
    { title: 'News', message: '# Heading\n\n- a\n- b\n\n`code`' },
    { title: 'A rather long title that says all there is to say', message: 'Text' },
  ];
  for (const message of messages) {
    await service().write('sys/config/ui/custom-messages', wireMessage(message));
  }
});

describeWithChromium('the pages', (browser) => {
  describe.each(looks)('in %s, %i pixels wide,', (colorScheme, width) => {
    let page: Page;
    const watched = started(() => openWatched(browser(), { colorScheme, viewport: { width, height: 800 } }));
    beforeAll(async () => {
      page = watched().page;
      await signInWithToken(page, service());
    });

    test.each(pages)('%s can be read, heard and operated by everyone', async (_, path, act) => {
      await page.goto(service().address + path);
      await act(page);
      await page.waitForLoadState();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      expect(watched().complaints).toEqual([]);
    });

    test('the identity provider’s page can be read, heard and operated by everyone', async () => {
      await page.goto(`${service().address}/ui/sign-in`);
      await page.getByRole('button', { name: 'Continue with Employees' }).click();
      await page.waitForURL('**/interaction/**');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      expect(watched().complaints).toEqual([]);
    });

    test('there is something to see, as bright as asked for', async () => {
      await page.goto(`${service().address}/ui/`);
      const { colors, brightness } = await pictureOf(browser(), page);
      expect(colors).toBeGreaterThan(20);
      if (colorScheme === 'light') expect(brightness).toBeGreaterThan(0.7);
      else expect(brightness).toBeLessThan(0.3);
    });
  });
});
