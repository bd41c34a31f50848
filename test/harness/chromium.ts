import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describeRunning } from './describe-running.ts';
import { timedStart } from './real-parts.ts';

/** Names that Chromium has on the PATH. */
const commands = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser of these tests: `GATEHOUSE_CHROMIUM`, or what is on the PATH. */
const executablePath = findChromium();
const unavailable =
  executablePath === undefined
    ? 'There is no Chromium on the PATH, and GATEHOUSE_CHROMIUM names none.'
    : undefined;
if (unavailable !== undefined) console.warn(`Tests in a browser are skipped. ${unavailable}`);

const args = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-gpu',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];

/** A `describe` with one Chromium for its tests, with a fresh profile; where there is none, they are skipped by their names. */
export function describeWithChromium(name: string, tests: (browser: () => Browser) => void): void {
  const start = () => timedStart('Chromium', () => chromium.launch({ executablePath, headless: true, args }));
  describeRunning(name, { start, unavailable }, tests);
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
