// `npm test`, `npm run test:long` and `npm run test:weekly`: runs jest, and ends with the line `N passed, N failed, N skipped`.
// Arguments after `--` go to jest, but for these:
//   --long                runs the files named *.long.test.ts and *.both.test.ts instead
//   --weekly              runs the files named *.weekly.test.ts instead
//   --changed[=REVISION]  runs what may load a file that differs from the revision, by default from the last commit
//   --shuffle[=SEED]      runs the files in random order; jest's --randomize does the same to the tests in each
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processorSeconds } from '../test/harness/processor-time.ts';
import { pickTests } from './changed-tests.ts';
import { readRecorded, readTimes, rememberTimes, secondsOf, timesText } from './test-times.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const passedOn = process.argv.slice(2);
/** Takes an option out of what goes to jest: its value, '' where it has none, undefined where it is not given. */
function takeOption(name) {
  const place = passedOn.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
  return place < 0 ? undefined : passedOn.splice(place, 1)[0].slice(name.length + 1);
}
const isLong = takeOption('--long') !== undefined;
const isWeekly = takeOption('--weekly') !== undefined;
const changedSince = takeOption('--changed');
const shuffle = takeOption('--shuffle');
const seed = shuffle === '' ? Math.floor(Math.random() * 2 ** 31) : shuffle && Number(shuffle);
if (changedSince !== undefined) {
  const { files, summary } = pickTests(changedSince || 'HEAD', { isLong, seconds: readTimes(root) });
  console.log(summary);
  if (files.length === 0) {
    console.log('0 passed, 0 failed, 0 skipped');
    process.exit(0);
  }
  passedOn.push('--runTestsByPath', ...files);
}
if (seed !== undefined) console.log(`Files in random order: --shuffle=${seed}`);
const report = `${root}.gatehouse/test-report-${process.pid}.json`;
mkdirSync(`${root}.gatehouse`, { recursive: true });
// What tests leave in the system's temporary folder goes with the run. Short: sockets are below it.
const temporary = mkdtempSync(join(tmpdir(), 'gh-'));
// PostgreSQL, which does not run as root, has its own folder in it.
chmodSync(temporary, 0o711);
const recordedFile = join(temporary, 'parts.jsonl');

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
      GATEHOUSE_TEST_PARTS: recordedFile,
      // What Node has compiled for one process, the next one does not compile again.
      NODE_COMPILE_CACHE: `${root}.gatehouse/compile-cache`,
      ...(isLong ? { GATEHOUSE_LONG: '1' } : {}),
      ...(isWeekly ? { GATEHOUSE_WEEKLY: '1' } : {}),
      ...(seed === undefined ? {} : { GATEHOUSE_SHUFFLE: String(seed) }),
    },
  },
);
const recorded = readRecorded(recordedFile);
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
rememberTimes(root, seconds);
console.log(timesText(seconds, recorded, root));
writeFileSync(
  `${root}.gatehouse/test-processor.json`,
  `${JSON.stringify(Object.fromEntries(recorded.processor), undefined, 1)}\n`,
);
const processor = processorSeconds();
const took = `The run took ${Math.round(performance.now() / 1_000)} s`;
console.log(
  processor === undefined ? `${took}.` : `${took}, and ${Math.round(processor)} s of processor time.`,
);
// A file that does not load has no tests to count: it is one failure.
const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
console.log(`${counts.numPassedTests} passed, ${failed} failed, ${counts.numPendingTests} skipped`);
process.exit(jest.status === 0 && failed === 0 ? 0 : 1);
