import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { openPage, writePage } from '../../../review-page/test/opened-page.ts';
import { type RunTaskServer, startRunTaskServer } from '../../../run-tasks/src/server.ts';
import { reviewPageRoute } from '../../src/serve/review-page.ts';

const checkReady = async () => {};

describeWithChromium('the review page of a gate', (browser) => {
  let server: RunTaskServer;
  beforeAll(async () => {
    const route = reviewPageRoute([pathToFileURL('/no-such-file'), new URL(await writePage())]);
    server = await startRunTaskServer({ routes: [route], checkReady });
  });
  afterAll(() => server.close());

  test('reviews its sample, apart from the gate: without its cookies, its storage and its origin', async () => {
    const { page, requests, complaints, close } = await openPage(browser(), `${server.address}/review`);
    try {
      await page.context().addCookies([{ name: 'session', value: 'secret', url: server.address }]);
      await page.click('#sample');
      await page.waitForSelector('#review:not([hidden])');
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
      expect(await page.evaluate('origin')).toBe('null');
      const blocked = ['document.cookie', 'localStorage', 'indexedDB.open("x")'];
      for (const what of blocked) await expect(page.evaluate(what)).rejects.toThrow(/sandbox|denied|Access/i);
      await page.evaluate(`fetch('${server.address}/health').catch(() => {})`);
      await page.click('#copy');
      expect(await page.innerText('#copied')).not.toBe('');
    } finally {
      await close();
    }
  });

  test('has its policy in the header as well, with what only a header can say', async () => {
    const response = await fetch(`${server.address}/review`);
    const { headers } = response;
    expect(await response.text()).toContain('Who gains access by this plan?');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-.*connect-src 'none'.*; sandbox allow-scripts; frame-ancestors 'none'$/,
    );
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test('a clone in which the page is not built says how to build it', async () => {
  const server = await startRunTaskServer({ routes: [reviewPageRoute([])], checkReady });
  try {
    const response = await fetch(`${server.address}/review`);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('npm run build:page'),
    ]);
  } finally {
    await server.close();
  }
});
