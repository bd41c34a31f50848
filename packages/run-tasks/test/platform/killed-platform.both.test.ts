import { join } from 'node:path';
import { expect } from '@jest/globals';
import { seeded } from '../../../../test/harness/seeded.ts';
import { lastingPort } from '../../../../test/harness/server-process.ts';
import type { TestedDatabase } from '../../../../test/harness/two-databases.ts';
import type { FatalStatement } from '../dying-database.ts';
import { testKilled } from '../test-killed.ts';
import { expectApplied } from './expect-applied.ts';
import { startReviewingIntegrator } from './reviewing-integrator.ts';
import { type PlatformHook, spawnPlatform } from './spawn-platform.ts';

/**
 * Where a platform is killed; the numbers are those of its steps. Two runs pass by each so often at least, one of which
 * is the fatal time, by the seed.
 */
type Point = { name: string; passages: number } & (FatalStatement | { hook: PlatformHook });

const bothSides = (name: string, statement: string, passages: number): Point[] => [
  { name: `${name}, not committed`, statement, moment: 'before commit', passages },
  { name: `${name}, committed`, statement, moment: 'after commit', passages },
];
const allPoints: Point[] = [
  ...bothSides('1 run', 'INSERT INTO runs', 2),
  ...bothSides('3 stage', 'INSERT INTO task_results', 8),
  { name: '4 token', statement: 'INSERT INTO access_tokens', moment: 'after', passages: 8 },
  { name: '5 request not sent', hook: 'before a request', passages: 8 },
  { name: '5 request answered', hook: 'after a request', passages: 8 },
  ...bothSides('6 accepted', 'UPDATE task_results SET (accepted_at = \\$\\d+, )?attempts', 8),
  ...bothSides('7 callback', 'UPDATE task_results SET status', 16),
  { name: '8 callback not answered', hook: 'before an answer', passages: 16 },
  { name: '9 planning', hook: 'in the midst of a plan', passages: 2 },
  ...bothSides('10 plan', 'UPDATE runs SET status .*"post_plan"', 2),
  ...bothSides('10 confirmed', 'INSERT INTO decisions', 2),
  ...bothSides('11 applying begins', 'UPDATE runs SET apply_started_at', 2),
  { name: '12 applying', hook: 'in the midst of an apply', passages: 2 },
  { name: '12 applied', hook: 'after an apply', passages: 2 },
  ...bothSides('13 how it went', 'UPDATE runs SET status .*"post_apply"', 2),
];

/**
 * Platforms on one database, one after the other, each killed with SIGKILL at one of the points. The last one is let
 * live: every run must come to its end.
 */
async function killAtEachPoint(points: Point[], seed: number, databases: TestedDatabase): Promise<void> {
  const place = await databases.place();
  const journal = join(place.home, 'journal');
  const integrator = await startReviewingIntegrator();
  const shared = { ...place, port: await lastingPort(), integrator: integrator.address, journal };
  const acknowledged: string[] = [];
  try {
    for (const [index, at] of points.entries()) {
      const count = 1 + seeded(seed, index, at.passages);
      const stacks = [`stack-${index}-a`, `stack-${index}-b`];
      const killed = spawnPlatform({ ...shared, stacks, kill: { at, count } });
      if (await killed.line) acknowledged.push(...stacks);
      expect([seed, at.name, count, await killed.ended]).toEqual([seed, at.name, count, 'SIGKILL']);
    }
    expect([seed, await spawnPlatform({ ...shared, stacks: [] }).ended]).toEqual([seed, 0]);
    // All but those that were killed while they made their runs.
    expect(acknowledged.length).toBeGreaterThan(points.length);
    await expectApplied({ place, journal, integrator, acknowledged });
  } finally {
    integrator.close();
  }
}

testKilled('platforms that are killed with SIGKILL', allPoints, killAtEachPoint);
