import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { influences } from '../../packages/core/src/access/influence.ts';
import type { Report } from '../../scripts/mutants/report.ts';
import { held } from '../../scripts/mutants/try-mutations.ts';

// Another seed is another sample: `npm run mutants` prints the seeds that it takes.
const seed = process.env['GATEHOUSE_MUTANTS_SEED'] ?? '1';

const table = 'packages/core/src/access/influence.ts';

/** Where the rows of the table of influence begin, as lines of its file. */
function rows(): string[] {
  const lines = readFileSync(table, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('export const influences'));
  const end = lines.indexOf('];', start);
  return lines
    .slice(start, end)
    .flatMap((line, at) => (/^ {2}\{/.test(line) ? `${table}:${start + at + 1}` : []));
}

/**
 * Of 20 mutations. Where tests notice 92 % of all, a sample has five that they do not once in fifty times: fewer would make
 * this fail by chance, whenever the code changes.
 */
const mostLeft = 4;

test('of a sample of mutations, tests notice as many as 92 % of all would give, or no test can; and each row of the table of influence', () => {
  // On a slow machine, the quickest tests are fewer in the same time.
  const options = [...held, ...rows(), '--sample', '20', '--seconds', '20', '--seed', seed, '--json'];
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/mutants.ts', ...options],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  if (stdout === '') throw new Error(`No report: ${signal ?? stderr}`);
  const { tried, stale }: Report = JSON.parse(stdout);
  const [ofTable, sample] = [true, false].map((is) => tried.filter(({ file }) => (file === table) === is));
  const left = (sample ?? []).filter(({ is, why }) => is.startsWith('survived') && why === undefined);
  expect({ stale, left: left.length > mostLeft ? left : [] }).toEqual({ stale: [], left: [] });
  expect(sample).toHaveLength(20);
  // What a row says it decides is for readers, too.
  const out = (ofTable ?? []).filter(({ mutated }) => mutated === '');
  expect(out.filter(({ is }) => is !== 'killed')).toEqual([]);
  expect(out).toHaveLength(influences.length);
});
