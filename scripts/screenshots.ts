// Makes the pictures of pages in docs/images/: `node scripts/screenshots.ts`, with a Chromium (GATEHOUSE_CHROMIUM, or /usr/bin/chromium).
// The script starts `gatehouse dev` in a clone, deploys the README's change, which the review blocks, and takes each page in light and dark.
// `node scripts/screenshots.ts watch` takes the watch alone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { deployStack } from '../packages/cli/src/deploy/deploy.ts';
import { startDev } from '../packages/cli/src/dev/dev.ts';
import { serveWatched } from './watched-stacks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs/images');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-screenshots-'));
const clone = join(folder, 'clone');
execFileSync('git', ['clone', '--quiet', root, clone]);
// A project may not have links that lead out of it.
execFileSync('cp', ['-al', join(root, 'node_modules'), join(clone, 'node_modules')]);
const ports = { port: 0, identityPort: 0, runTaskPort: 0 };
const env = { ...process.env, GATEHOUSE_HOME: join(folder, 'home') };
const dev = await startDev({ directory: clone, env, version: '0.1.0', ...ports });
const browser = await chromium.launch({
  executablePath: process.env['GATEHOUSE_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const watching = await serveWatched(clone, join(folder, 'watch'), dev);
const only = process.argv[2];
try {
  const [, removed = '', added = ''] =
    /```diff\n-(.*)\n\+(.*)\n```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const file = join(clone, 'Pulumi.dev.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(removed, added));
  const deploy = () =>
    deployStack({
      stack: 'dev',
      message: 'Readers manage secrets',
      speculative: false,
      allowUncommitted: true,
      address: dev.runTaskAddress,
      env: { ...env, VAULT_ADDR: dev.address, VAULT_TOKEN: dev.token },
      onChange: () => {},
    });
  const run = only === undefined ? await deploy() : undefined;
  const sites = [
    {
      address: dev.runTaskAddress,
      pages: run && { runs: '/ui/runs', run: `/ui/runs/${run.id}` },
    },
    { address: watching.address, pages: { watch: '/ui/watch' } },
  ];
  mkdirSync(images, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, colorScheme });
    const page = await context.newPage();
    const take = (name: string) => page.screenshot({ path: join(images, `${name}-${colorScheme}.png`) });
    if (only === undefined) {
      await page.goto(`${dev.address}/ui/`);
      // A message of the dev stack stands in front.
      await page.getByRole('button', { name: 'Close' }).click();
      await take('sign-in');
    }
    for (const { address, pages } of sites) {
      if (pages === undefined) continue;
      // Both have the same cookie, as they have the same host.
      await context.clearCookies();
      await page.goto(`${address}/ui/`);
      await page.locator('details').evaluateAll((all) => {
        for (const details of all) details.setAttribute('open', '');
      });
      await page.getByLabel('Token', { exact: true }).fill(dev.token);
      await page.getByLabel('Token', { exact: true }).press('Enter');
      await page.waitForURL(/\/ui\/(?!sign-in)/);
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(address + path);
        await take(name);
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await watching.close();
  await dev.close();
  rmSync(folder, { recursive: true, force: true });
}
