import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

/** Names that Chromium has on the PATH. */
const commands = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser of these tests: `GATEHOUSE_CHROMIUM`, or what is on the PATH. */
const executablePath = findChromium();
if (executablePath === undefined) {
  console.warn(
    'Tests in a browser are skipped: there is no Chromium on the PATH, and GATEHOUSE_CHROMIUM names none.',
  );
}

/**
 * A `describe` with one Chromium for its tests, started with a fresh profile before the first and stopped after the
 * last; `browser` answers it and may be called inside tests and hooks only. Where there is no Chromium, the tests
 * are skipped by their names.
 */
export function describeWithChromium(name: string, tests: (browser: () => Browser) => void): void {
  const block = executablePath === undefined ? describe.skip : describe;
  block(name, () => {
    let running: Browser | undefined;
    beforeAll(async () => {
      running = await chromium.launch({
        executablePath,
        headless: true,
        args: [
          '--no-sandbox',
          '--disable-quic',
          '--disable-background-networking',
          '--disable-gpu',
          '--no-first-run',
          '--disable-component-update',
          '--disable-sync',
        ],
      });
    });
    afterAll(() => running?.close());
    tests(() => {
      if (running === undefined) throw new Error('Chromium runs only while the tests of this block do');
      return running;
    });
  });
}

function findChromium(): string | undefined {
  const named = process.env['GATEHOUSE_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error('GATEHOUSE_CHROMIUM names a file that is not there');
    return named;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
