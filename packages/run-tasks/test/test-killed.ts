import { test } from '@jest/globals';
import { isIn, someOf } from '../../../test/harness/long-run.ts';
import {
  describeOnPglite,
  describeOnPostgres,
  type TestedDatabase,
} from '../../../test/harness/two-databases.ts';
import { isWeekly } from '../../../test/harness/weekly-run.ts';

/**
 * Tests processes that are killed with SIGKILL at each of the points, at an occurrence that a seed chooses: one point in
 * twelve in `npm test`, where that runs the file, all of them in the other commands: with more seeds and on PostgreSQL, too, in
 * `npm run test:long`, with yet others on PGlite, which takes three times as long to start, in `npm run test:weekly`.
 */
export function testKilled<Point>(
  what: string,
  allPoints: readonly Point[],
  killAtEachPoint: (points: Point[], seed: number, databases: TestedDatabase) => Promise<void>,
): void {
  const register = (describeOn: typeof describeOnPglite, seeds: number[]) =>
    describeOn(`${what} at every step`, (databases) => {
      const points = someOf(12, allPoints);
      // Most of a seed's time is waiting for processes to start.
      test(`seeds ${seeds.join(', ')}: ${points.length} kills each`, async () => {
        const all = await Promise.allSettled(seeds.map((seed) => killAtEachPoint(points, seed, databases)));
        for (const one of all) if (one.status === 'rejected') throw one.reason;
      }, 900_000);
    });
  register(describeOnPglite, isWeekly ? [11, 12] : [1]);
  if (isIn('test:long')) register(describeOnPostgres, [2, 3, 4]);
}
