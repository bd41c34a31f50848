import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { reviewPage } from '../build.ts';

/** The page as a file on disk. */
export async function writePage(): Promise<string> {
  const file = join(temporaryFolder(), 'review.html');
  writeFileSync(file, await reviewPage());
  return pathToFileURL(file).href;
}

export interface OpenedPage {
  page: Page;
  /** What it asked for, also from its worker, after the page itself. */
  requests: string[];
  /** Complaints of its policy or of a script. */
  complaints: string[];
  close(): Promise<void>;
}

/** Opens the page in a new profile. What it copies is kept in `copied` of its window. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.addInitScript(
    'navigator.clipboard && (navigator.clipboard.writeText = async (text) => { window.copied = text; })',
  );
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a script opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  requests.splice(0);
  return { page, requests, complaints, close: () => context.close() };
}

export interface GivenFile {
  name: string;
  text: string;
}

/** Gives the page files, and waits for its answer: a review, a problem, or a line of its status. */
export async function give(page: Page, ...files: readonly (GivenFile | string)[]): Promise<void> {
  const payloads = files.map((file) =>
    typeof file === 'string'
      ? file
      : { name: file.name, mimeType: 'application/json', buffer: Buffer.from(file.text) },
  );
  await page.setInputFiles('#file', payloads as string[]);
  await page.waitForSelector('body:not(.busy)');
}

/** All that the page says, with everything unfolded, in one line. */
export async function saidBy(page: Page): Promise<string> {
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true;
    for (let button; (button = [...document.querySelectorAll('#report button')].find((one) => !one.hidden && one.textContent.startsWith('Show '))); ) button.click();`);
  return oneLine(await page.evaluate('document.querySelector("#review").textContent'));
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
