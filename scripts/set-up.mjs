// Runs before `npm start`, `npm test` and `npm run bench`: installs the pinned packages if node_modules is missing or older
// than the lock file. Plain JavaScript, as an older Node.js than the pinned one may start it.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const lock = `${root}package-lock.json`;

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.error('Installing the pinned packages (npm ci) …');
  const npm = spawnSync('npm', ['ci', '--no-progress', '--loglevel=error'], {
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
