// `npm test` and `npm run test:long`: runs jest, and ends with the line `N passed, N failed, N skipped`.
// Arguments after `--` go to jest; `--long` runs the files named *.long.test.ts and *.both.test.ts instead.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readParts, secondsOf, timesText } from './test-times.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const long = process.argv.includes('--long');
const passedOn = process.argv.slice(2).filter((argument) => argument !== '--long');
const report = `${root}.gatehouse/test-report-${process.pid}.json`;
mkdirSync(`${root}.gatehouse`, { recursive: true });
// What tests leave in the system's temporary folder goes with the run. Short: sockets are below it.
const temporary = mkdtempSync(join(tmpdir(), 'gh-'));
// PostgreSQL, which does not run as root, has its own folder in it.
chmodSync(temporary, 0o711);
const parts = join(temporary, 'parts.jsonl');

const jest = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    `${root}node_modules/jest/bin/jest.js`,
    '--json',
    `--outputFile=${report}`,
    ...passedOn,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      GATEHOUSE_TEST_PARTS: parts,
      // What Node has compiled for one process, the next one does not compile again.
      NODE_COMPILE_CACHE: `${root}.gatehouse/compile-cache`,
      ...(long ? { GATEHOUSE_LONG: '1' } : {}),
    },
  },
);
const startedParts = readParts(parts);
try {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
} catch (error) {
  // What a process still writes to stays; that says nothing of the tests.
  console.warn(error.message);
}

let counts;
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  console.error('jest wrote no report; see its output above.');
  process.exit(1);
} finally {
  rmSync(report, { force: true });
}
for (const file of counts.testResults) {
  for (const test of file.assertionResults) {
    if (test.status === 'pending') console.log(`skipped: ${test.fullName}`);
  }
}
const seconds = secondsOf(counts.testResults, root);
writeFileSync(
  `${root}.gatehouse/test-times.json`,
  `${JSON.stringify(Object.fromEntries(seconds), undefined, 1)}\n`,
);
console.log(timesText(seconds, startedParts));
// A file that does not load has no tests to count: it is one failure.
const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
console.log(`${counts.numPassedTests} passed, ${failed} failed, ${counts.numPendingTests} skipped`);
process.exit(jest.status === 0 && failed === 0 ? 0 : 1);
