import { expect, test } from '@jest/globals';
import { describeRunning } from '../../../../../test/harness/describe-running.ts';
import { unavailableOpenBao } from '../../../../../test/harness/openbao.ts';
import { outcomesOf } from './any-write/outcomes.ts';
import { isSilent, reportOf, summaryOf } from './any-write/summary.ts';
import { startSurroundings } from './any-write/surroundings.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_130);
const count = Number(process.env['GATEHOUSE_WORLDS'] ?? 40);

// Writes that come from the server's own OpenAPI document: no table of the product decides what is tried.
describeRunning(
  `${count} writes to a whole service, seed ${seed}`,
  { start: startSurroundings, unavailable: unavailableOpenBao },
  (surroundings) => {
    test('no principal can do more after a write by which no one gains, as the review says', async () => {
      const outcomes = await outcomesOf(surroundings(), seed, count, (outcome) => {
        if (count > 100 && isSilent(outcome)) console.info(JSON.stringify(reportOf(outcome)));
      });
      console.info(`${count} writes, seed ${seed}`, JSON.stringify(summaryOf(outcomes), undefined, 1));
      expect(outcomes.filter(isSilent).map(reportOf)).toEqual([]);
      // The writes have to say something: nearly each number has one, and someone gains by a fair share.
      expect(outcomes.length).toBeGreaterThan(count * 0.9);
      expect(outcomes.filter(({ gained }) => gained.length > 0).length).toBeGreaterThan(count / 25);
    }, 86_400_000);
  },
);
