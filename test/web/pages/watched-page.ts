import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const inPage = fileURLToPath(new URL('./in-page.js', import.meta.url));

/** Looks that every page is checked in: colour scheme, and pixels of width. */
export const looks = [
  ['light', 1280],
  ['light', 400],
  ['dark', 1280],
  ['dark', 400],
] as const;

export interface WatchedPage {
  page: Page;
  /** What the page's own policy or a script complained about. */
  complaints: string[];
  /** Origins that were asked for anything. */
  origins: Set<string>;
  close(): Promise<void>;
}

/** A page in a profile of its own, of which every complaint and request is noted; `in-page.js` is there. */
export async function openWatched(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.addInitScript({ path: inPage });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    // Chromium says so of each answer that is a refusal, and tests have those.
    if (!/^Failed to load resource: the server responded with a status of 4/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a script opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { page, complaints, origins, close: () => context.close() };
}

/** What there is to see: the number of colours, and how bright it is (0 black, 1 white). Found out in another page. */
export async function pictureOf(
  browser: Browser,
  page: Page,
): Promise<{ colours: number; brightness: number }> {
  const png = await page.screenshot();
  const beside = await openWatched(browser);
  try {
    return await beside.page.evaluate(`inPage.picture('${png.toString('base64')}')`);
  } finally {
    await beside.close();
  }
}
