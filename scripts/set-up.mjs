// Runs before `npm start`, `npm test` and others: installs the pinned packages where they are missing or older than the lock
// file. `--omit=dev`: only what runs, for a first start. Plain JavaScript, as an older Node.js than the pinned one may start it.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const omitted = process.argv.slice(2);
const isThere = omitted.length > 0 || existsSync(`${root}node_modules/jest`);
const isCurrent =
  isThere &&
  existsSync(installed) &&
  statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;
// Through a link, npm would empty the folder that another checkout uses.
const isLink = lstatSync(`${root}node_modules`, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

if (!isCurrent && !isLink) {
  console.error('Installing the pinned packages (npm ci) …');
  const npm = spawnSync('npm', ['ci', '--no-progress', ...omitted], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    console.error('gatehouse: `npm ci` failed; see the lines above.');
    process.exit(1);
  }
  const now = new Date();
  utimesSync(installed, now, now);
}
