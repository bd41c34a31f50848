import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const inPage = fileURLToPath(new URL('./in-page.js', import.meta.url));

/** Color scheme and width in pixels that every page is checked in. */
export const looks = [
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const;

export interface WatchedPage {
  page: Page;
  /** Complaints of the page's policy or of a script. */
  complaints: string[];
  /** Origins of all requests. */
  origins: Set<string>;
  close(): Promise<void>;
}

/** A page in a new profile with `in-page.js`, whose complaints and requests are recorded. */
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
    // Chromium logs every refused request; tests cause some.
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

/**
 * A watched page for each test of a block: it has no complaints, and asks nothing of other origins.
 *
 * @param onOpen gets the page before the test
 * @param origins those that it may ask
 */
export function watchedPerTest(
  browser: () => Browser,
  onOpen: (page: Page) => void,
  origins: () => string[],
): void {
  let watched: WatchedPage;
  beforeEach(async () => {
    watched = await openWatched(browser());
    onOpen(watched.page);
  });
  afterEach(async () => {
    await watched.close();
    expect(watched.complaints).toEqual([]);
    const allowed = origins();
    expect([...watched.origins].filter((origin) => !allowed.includes(origin))).toEqual([]);
  });
}

/** The number of colors and the brightness (0 black, 1 white) of a page, measured in another page. */
export async function pictureOf(
  browser: Browser,
  page: Page,
): Promise<{ colors: number; brightness: number }> {
  const png = await page.screenshot();
  const compared = await openWatched(browser);
  try {
    return await compared.page.evaluate(`inPage.picture('${png.toString('base64')}')`);
  } finally {
    await compared.close();
  }
}
