import { expect } from '@jest/globals';
import { seeded } from '../../../../test/harness/seeded.ts';
import { openTestPlatform } from '../../../../test/harness/test-platform.ts';
import type { TestedDatabase } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import type { FatalStatement } from '../dying-database.ts';
import { testKilled } from '../test-killed.ts';
import { endIntegrator, nothingOpen, spawnIntegrator } from './spawn-integrator.ts';
import { type PlatformMoment, TasksInFlight } from './tasks-in-flight.ts';

/** Where the integrator is killed; the numbers are those of its steps. */
type Point = { name: string } & (FatalStatement | { platform: PlatformMoment });

const allPoints: Point[] = [
  { name: '3 stored, not committed', statement: 'INSERT INTO deliveries', moment: 'before commit' },
  { name: '3 committed, not answered', statement: 'INSERT INTO deliveries', moment: 'after commit' },
  { name: '4 answered 200', platform: 'acknowledged' },
  { name: '5 begun', statement: 'SELECT \\* FROM deliveries', moment: 'after' },
  { name: '5 plan asked for', platform: 'plan' },
  { name: '5 plan there', statement: 'reviews_started \\+ 1', moment: 'after' },
  { name: '6 running taken, not answered', platform: 'running taken' },
  { name: '7 result not stored', statement: `SET status = 'reviewed'`, moment: 'before' },
  { name: '7 result stored', statement: `SET status = 'reviewed'`, moment: 'after' },
  { name: '8 callback on record, not sent', statement: 'INSERT INTO callbacks', moment: 'after' },
  { name: '8 final sent, not taken', platform: 'final refused' },
  { name: '8 final taken, not answered', platform: 'final taken' },
  { name: '8 answer there, not on record', statement: 'UPDATE callbacks', moment: 'before' },
  { name: '9 not marked delivered', statement: `SET status = 'delivered'`, moment: 'before' },
  { name: '9 marked delivered', statement: `SET status = 'delivered'`, moment: 'after' },
];

/** Tasks in flight at each kill. */
const tasksAtOnce = 4;

/**
 * One integrator after another on the same store, each killed with SIGKILL at one of the points, at an occurrence
 * that the seed chooses; the last one lives. Every task ends in exactly one final result, and nothing is left open.
 */
async function killAtEachPoint(points: Point[], seed: number, databases: TestedDatabase): Promise<void> {
  const { url, home } = await databases.place();
  const platform = await openTestPlatform();
  const place = { home, url, platform: platform.address };
  let living = await spawnIntegrator(place);
  const tasks = new TasksInFlight(platform, () => living.url);
  try {
    for (const [at, point] of points.entries()) {
      // Tasks that are at the same point share a statement: there may be no second time.
      const nth = 'statement' in point ? 1 : 1 + seeded(seed, at, tasksAtOnce - 1);
      await endIntegrator(living);
      living = await spawnIntegrator({ ...place, ...('statement' in point ? { fatal: point } : {}) });
      const { child, ended } = living;
      const onStrike = () => void child.kill('SIGKILL');
      const moment = 'platform' in point ? { moment: point.platform } : {};
      tasks.send(tasksAtOnce, { ...moment, nth, seed, onStrike });
      expect([seed, point.name, await ended]).toEqual([seed, point.name, 'SIGKILL']);
    }
    living = await spawnIntegrator(place);
    await tasks.allTaken();
    await until(() => nothingOpen(living), 120_000).catch(() => {});
    expect([seed, tasks.wrong()]).toEqual([seed, []]);
    expect([seed, await nothingOpen(living)]).toEqual([seed, true]);
    await endIntegrator(living);
  } finally {
    tasks.stop();
    living.child.kill('SIGKILL');
    await platform.close();
  }
}

testKilled('an integrator that is killed with SIGKILL', allPoints, killAtEachPoint);
