import { afterEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ask } from '../../../../test/harness/ask.ts';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { heard } from '../../../host/test/pages/accessibility.ts';
import { watchedPerTest } from '../../../host/test/pages/watched-page.ts';
import { signInWithToken, startUiService, wireMessage } from './ui-service.ts';

const service = started(startUiService);

/** Runs, or at least shows, if something is not escaped. */
const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'; alert(1); '",
  '</title></textarea></dialog><script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
];

describeWithChromium('messages in a browser', (browser) => {
  let page: Page;
  let created: string[] = [];
  const onOpen = (opened: Page) => {
    page = opened;
  };
  watchedPerTest(browser, onOpen, () => [service().address]);
  afterEach(async () => {
    for (const id of created.splice(0)) {
      await ask(service(), { method: 'DELETE', path: `sys/config/ui/custom-messages/${id}` });
    }
  });

  async function make(message: Record<string, unknown>): Promise<void> {
    const { data } = await service().write('sys/config/ui/custom-messages', wireMessage(message));
    created = [...created, data.id];
  }
  const modal = (title: string, message: Record<string, unknown> = {}) =>
    make({ title, type: 'modal', authenticated: false, ...message });
  const openPage = () => page.goto(`${service().address}/ui/sign-in`);
  const openDialogs = () => page.locator('dialog:modal').count();
  const focused = (): Promise<string> => page.evaluate('inPage.focused()');

  describe('a modal', () => {
    test('is a dialog with a name, over a page that cannot be reached meanwhile', async () => {
      await modal('Terms of use');
      await openPage();
      await page.getByRole('dialog', { name: 'Terms of use' }).waitFor();
      expect(await openDialogs()).toBe(1);
      const buttons = (await heard(page)).filter(({ role }) => role === 'button');
      expect(buttons.map(({ name }) => name)).toEqual(['Close']);
    });

    test('has the focus, keeps it, and gives it back', async () => {
      await modal('Terms of use', { link: { Read: 'https://e.example/' } });
      await openPage();
      const inside = new Set([await focused()]);
      for (let count = 0; count < 6; count += 1) {
        await page.keyboard.press('Tab');
        inside.add(await focused());
      }
      // Nothing: the browser's bar, between the dialog's end and its beginning.
      expect([...inside].filter((text) => text !== '').sort()).toEqual(['Close', 'Read']);
      await page.keyboard.press('Escape');
      expect(await openDialogs()).toBe(0);
      await page.keyboard.press('Tab');
      expect(await focused()).not.toBe('Close');
    });

    test.each(['Escape', 'Enter'])('closes by %s, and stays closed in this tab', async (key) => {
      await modal('Terms of use');
      await openPage();
      await page.keyboard.press(key);
      expect(await openDialogs()).toBe(0);
      await page.reload();
      expect(await openDialogs()).toBe(0);
    });

    test('stays closed even where the page is left before its event comes', async () => {
      await modal('Terms of use');
      await openPage();
      // In one task: events of a dialog that closes come in a later one.
      const kept = await page.evaluate(
        "document.querySelector('dialog:modal').close(); dispatchEvent(new Event('pagehide')); sessionStorage.getItem('gatehouse.seen')",
      );
      expect(kept).toContain(await page.locator('dialog').getAttribute('id'));
      await page.reload();
      expect(await openDialogs()).toBe(0);
    });

    test('comes after another, one at a time', async () => {
      await modal('One');
      await modal('Two');
      await openPage();
      const titles = [await page.locator('dialog:modal h2').textContent()];
      await page.keyboard.press('Escape');
      titles.push(await page.locator('dialog:modal h2').textContent());
      await page.keyboard.press('Escape');
      expect([titles.sort(), await openDialogs()]).toEqual([['One', 'Two'], 0]);
    });

    test('longer than the window scrolls within it', async () => {
      await modal('Long', { message: 'line\n\n'.repeat(200) });
      await openPage();
      const { y = -1, height = 0 } = (await page.locator('dialog:modal').boundingBox()) ?? {};
      expect([y >= 0, y + height <= 800]).toEqual([true, true]);
    });
  });

  test('a banner stands in a region of announcements, with its link', async () => {
    await make({
      title: 'Maintenance',
      message: '**Saturday**',
      authenticated: false,
      link: { Status: 'https://e.example/s' },
    });
    await openPage();
    const region = page.getByRole('region', { name: 'Announcements' });
    expect(await region.locator('strong').allTextContents()).toEqual(['Maintenance', 'Saturday']);
    expect(await region.getByRole('link', { name: 'Status' }).getAttribute('href')).toBe(
      'https://e.example/s',
    );
  });

  test.each(attacks)('%s is text: in titles, texts, links and forms', async (attack) => {
    await make({
      title: attack,
      message: attack,
      link: { [attack]: `https://e.example/${attack}` },
      authenticated: false,
    });
    await modal(attack, {
      message: `[x](javascript:alert(1)) ${attack}`,
      link: { [attack]: 'javascript:alert(1)' },
    });
    await make({ title: attack, message: `<a href="javascript:alert(1)">x</a>${attack}` });
    await openPage();
    await page.keyboard.press('Escape');
    expect(await page.locator('.message-title').textContent()).toBe(attack);
    await hostileRole(attack);
    await signInWithToken(page, service());
    expect(await page.locator('.message-title').textContent()).toBe(attack);
    expect(await page.locator('a[href^="javascript" i], [onerror], [onload], img, main svg').count()).toBe(0);
  });

  /** The service's refusal repeats the role's name, in the box and in the alert. */
  async function hostileRole(attack: string): Promise<void> {
    await page.getByText('An identity provider that is not listed').click();
    await page.locator('#oidc-method').fill('gone');
    await page.locator('#oidc-role').fill(attack);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('#oidc-role').inputValue()).toBe(attack);
    const query = new URLSearchParams({ state: attack, error: attack, error_description: attack });
    await page.goto(`${service().address}/ui/vault/auth/staff/oidc/callback?${query}`);
    await page.getByRole('alert').waitFor();
  }
});
