// Runs before `npm start`, `npm test` and others: installs the pinned packages where they are missing or older than the lock
// file. `--omit=dev`: only what runs, for a first start. Plain JavaScript, as an older Node.js than the pinned one may start it.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync, utimesSync } from 'node:fs';
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
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const paths = Object.entries(packages)
    .filter(([path, installed]) => path.startsWith('node_modules/') && !installed.link && !installed.optional)
    .filter(([, installed]) => !(omitted.includes('--omit=dev') && (installed.dev || installed.devOptional)))
    .map(([path]) => path);
  const { version } = packages['node_modules/node'];
  console.error(
    `Installing ${paths.length} pinned packages into node_modules (npm ci), with Node.js ${version} to run them …`,
  );
  const bar = process.stderr.isTTY ? setInterval(() => draw(paths), 200) : undefined;
  const status = await npmCi();
  clearInterval(bar);
  if (bar !== undefined) process.stderr.write('\r\x1b[K');
  if (status !== 0) {
    console.error('gatehouse: `npm ci` failed; see the lines above.');
    process.exit(1);
  }
  const now = new Date();
  utimesSync(installed, now, now);
}

/** Runs npm to its end. @returns its exit code */
function npmCi() {
  const npm = spawn('npm', ['ci', '--no-progress', ...omitted], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  return new Promise((resolve) => {
    npm.once('error', () => resolve(1));
    npm.once('exit', resolve);
  });
}

/** A bar over the packages that are there. */
function draw(paths) {
  const count = paths.filter((path) => existsSync(`${root}${path}/package.json`)).length;
  const width = 30;
  const full = Math.round((count / paths.length) * width);
  process.stderr.write(`\r[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${count} of ${paths.length}`);
}
