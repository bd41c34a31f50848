import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { started } from '../../../../test/harness/started.ts';
import { openWatched, watchedPerTest } from '../../../host/test/pages/watched-page.ts';
import { run } from './page-server.ts';
import { enableMethod, startSignIn } from './sign-in-under-test.ts';

const service = started(startEmbeddedService);
const under = started(() => startSignIn(service()));
beforeAll(async () => {
  await enableMethod(service(), under().identity, 'posting', { config: { oidc_response_mode: 'form_post' } });
  under().pages.runs.set('run-1', run());
});

describeWithChromium('signing in to the pages of runs with a browser', (browser) => {
  let page: Page;
  const usePage = (opened: Page) => {
    page = opened;
  };
  watchedPerTest(browser, usePage, () => [under().pages.address, under().identity.address, 'null']);

  test('leads from a run to the provider, back to that run, and out again', async () => {
    const address = `${under().pages.address}/ui/runs/run-1`;
    await page.goto(address);
    await page.getByRole('button', { name: 'Continue with People of staff' }).click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(address);
    await page.getByText('staff-alice', { exact: true }).waitFor();
    const kept: string = await page.evaluate('JSON.stringify([document.cookie, {...localStorage}])');
    expect(kept).toBe('["",{}]');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('your token is revoked').waitFor();
  });

  longTest('works by form_post: the cookie comes along, and the answer is not in the address', async () => {
    const seen: string[] = [];
    page.on('request', (request) => seen.push(`${request.method()} ${new URL(request.url()).search}`));
    await page.goto(`${under().pages.address}/ui/`);
    await page.getByRole('button', { name: 'Continue with People of posting' }).click();
    await page.getByRole('button', { name: 'Bob Example' }).click();
    await page.waitForURL(`${under().pages.address}/ui/runs`);
    await page.getByText('posting-bob', { exact: true }).waitFor();
    expect(seen).toContainEqual(expect.stringMatching(/^GET \?state=[\w-]+&code=no_code$/));
  });

  longTest('keeps the role that was refused, and takes another', async () => {
    await page.goto(`${under().pages.address}/ui/`);
    const go = page.getByRole('button', { name: 'Continue with People of staff' });
    const field = page.locator('form', { has: go }).getByRole('textbox', { name: 'Role' });
    await page.getByText('Other role').click();
    await field.fill('gone');
    await go.click();
    await page.getByText('The secrets service did not start this sign-in.').waitFor();
    expect(await field.inputValue()).toBe('gone');
    await field.fill('deployer');
    await go.click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(`${under().pages.address}/ui/runs`);
  });
});

describeWithChromium('signing in to the pages of runs without script', (browser) => {
  test('leads to the provider and back', async () => {
    const { page, close, complaints } = await openWatched(browser(), { javaScriptEnabled: false });
    await page.goto(`${under().pages.address}/ui/`);
    await page.getByRole('button', { name: 'Continue with People of staff' }).click();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.waitForURL(`${under().pages.address}/ui/runs`);
    await close();
    expect(complaints).toEqual([]);
  });
});
