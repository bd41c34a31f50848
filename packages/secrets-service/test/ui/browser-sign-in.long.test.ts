import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ask } from '../../../../test/harness/ask.ts';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { openWatched, watchedPerTest } from '../../../host/test/pages/watched-page.ts';
import { oidcMethod, startUiService, wireMessage } from './ui-service.ts';

const service = started(startUiService);

describeWithChromium('signing in with a browser', (browser) => {
  let page: Page;
  const usePage = (opened: Page) => {
    page = opened;
  };
  watchedPerTest(browser, usePage, () => [service().address, service().identity.address, 'null']);

  const heading = () => page.getByRole('heading', { level: 1 }).textContent();

  test('leads to the provider, back, and out again', async () => {
    await page.goto(`${service().address}/ui/`);
    await page.getByRole('button', { name: 'Continue with Employees' }).click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(`${service().address}/ui/`);
    expect(await heading()).toBe('staff-alice');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('your token is revoked').waitFor();
    await page.goto(`${service().address}/ui/`);
    expect(page.url()).toBe(`${service().address}/ui/sign-in`);
  });

  test('works by form_post: the cookie comes along', async () => {
    const config = { oidc_response_mode: 'form_post' };
    await oidcMethod(service(), 'posting', { kind: 'cloud_directory', description: 'Posting', config });
    await page.goto(`${service().address}/ui/sign-in`);
    await page.getByRole('button', { name: 'Continue with Posting' }).click();
    await page.getByRole('button', { name: 'Bob Example' }).click();
    await page.waitForURL(`${service().address}/ui/`);
    expect(await heading()).toBe('posting-bob');
  });

  test('works by keyboard alone', async () => {
    await page.goto(`${service().address}/ui/sign-in`);
    await press('Tab', /^Skip to the content$/);
    await page.keyboard.press('Enter');
    await press('Tab', /^Continue with Employees /);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/interaction/**');
    await press('Tab', /^Continue as Alice Example$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service().address}/ui/`);
    await press('Tab', /^Sign out$/);
    await page.keyboard.press('Enter');
    await page.getByText('You are signed out').waitFor();
  });

  test('signs in with the role that is typed; Enter there chooses no provider', async () => {
    await page.goto(`${service().address}/ui/sign-in`);
    await page.getByText('Other role').click();
    await page.getByLabel('Role', { exact: true }).first().fill('admin');
    await page.keyboard.press('Enter');
    expect(page.url()).toBe(`${service().address}/ui/sign-in`);
    await page.getByRole('button', { name: 'Continue with Employees' }).click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(`${service().address}/ui/`);
    await page.getByText('secrets-admin').waitFor();
  });

  test('narrows the list while one types, and with the button alone', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      await oidcMethod(service(), `narrow-${name}`, { kind: 'cloud_directory', description: name });
    }
    await page.goto(`${service().address}/ui/sign-in`);
    const shown = () => page.locator('#provider-list .method-name:visible').allTextContents();
    const all = (await shown()).length;
    const search = page.getByLabel('Search providers');
    await search.fill('NARROW-T');
    expect(await shown()).toEqual(['three', 'two']);
    await search.fill('continue');
    expect([await shown(), await page.getByText('No provider matches.').isVisible()]).toEqual([[], true]);
    await search.fill('narrow-f');
    await search.press('Enter');
    await page.waitForURL('**search=narrow-f');
    expect((await shown()).length).toBe(1);
    await page.getByLabel('Search providers').fill('');
    expect((await shown()).length).toBe(all);
  });

  test('shows where the focus is, on everything that takes it', async () => {
    await page.goto(`${service().address}/ui/sign-in`);
    const seen: string[] = [];
    for (let count = 0; count < 15; count += 1) {
      await page.keyboard.press('Tab');
      const outline: string = await page.evaluate('inPage.focusOutline()');
      if (outline === '') break;
      seen.push(outline);
    }
    expect(seen.length).toBeGreaterThan(6);
    expect(new Set(seen)).toEqual(new Set(['solid 3px']));
  });

  test('is over by itself when the token ends', async () => {
    const { auth } = await service().write('auth/token/create', {
      policies: ['default'],
      ttl: '3s',
      renewable: false,
    });
    await page.goto(`${service().address}/ui/sign-in`);
    await page.getByText('A token of this service').click();
    await page.getByLabel('Token', { exact: true }).fill(auth.client_token);
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await page.getByText('ends in').waitFor();
    await page.waitForURL(`${service().address}/ui/sign-in?notice=ended`, { timeout: 10_000 });
  });

  /** Presses a key until the named element has the focus. */
  async function press(key: string, name: RegExp): Promise<void> {
    for (let count = 0; count < 25; count += 1) {
      await page.keyboard.press(key);
      if (name.test(await page.evaluate('inPage.focused()'))) return;
    }
    throw new Error(`the focus never came to ${name}`);
  }
});

describeWithChromium('signing in with a browser without script', (browser) => {
  test('leads to the provider and back, and messages can be closed', async () => {
    const { data } = await service().write(
      'sys/config/ui/custom-messages',
      wireMessage({ title: 'Terms', type: 'modal', authenticated: false }),
    );
    const { page, close, complaints } = await openWatched(browser(), { javaScriptEnabled: false });
    await page.goto(`${service().address}/ui/`);
    await page.getByRole('heading', { name: 'Terms' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Terms' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Continue with Employees' }).click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(`${service().address}/ui/`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('staff-alice');
    await close();
    await ask(service(), { method: 'DELETE', path: `sys/config/ui/custom-messages/${data.id}` });
    expect(complaints).toEqual([]);
  });
});
