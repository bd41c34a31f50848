import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import type { Report } from '../../scripts/mutants/report.ts';
import { held } from '../../scripts/mutants/try-mutations.ts';

// Another seed is another sample: `npm run mutants` prints the seeds that it takes.
const seed = process.env['GATEHOUSE_MUTANTS_SEED'] ?? '1';

test('of a sample of mutations, tests notice at least 92 %, or no test can', () => {
  const options = [...held, '--sample', '60', '--seed', seed, '--json'];
  const { stdout } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/mutants.ts', ...options],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { tried, stale, percent }: Report = JSON.parse(stdout);
  const left = tried.filter(({ is, why }) => is.startsWith('survived') && why === undefined);
  expect({ stale, left: percent < 92 ? left : [] }).toEqual({ stale: [], left: [] });
  expect(tried).toHaveLength(60);
});
