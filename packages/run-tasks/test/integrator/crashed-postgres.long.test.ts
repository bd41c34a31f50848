import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { postgresPrograms, startPostgres } from '../../../../test/harness/postgres.ts';
import { seeded } from '../../../../test/harness/seeded.ts';
import { openTestPlatform } from '../../../../test/harness/test-platform.ts';
import { until } from '../../../../test/harness/until.ts';
import { endIntegrator, nothingOpen, spawnIntegrator } from './spawn-integrator.ts';
import { type PlatformMoment, TasksInFlight } from './tasks-in-flight.ts';

const moments: PlatformMoment[] = ['acknowledged', 'plan', 'running taken', 'final refused', 'final taken'];

/** Tasks that are sent before each end of the database. */
const tasksAtOnce = 20;

/**
 * PostgreSQL is ended at once and started again, at moments that the seeds choose, while an integrator takes requests
 * and works on them. It goes on by itself: what it acknowledged, and what was sent meanwhile, has one final result.
 */
(postgresPrograms === undefined ? describe.skip : describe)(
  'an integrator whose PostgreSQL is ended at once',
  () => {
    test.each([[[1]], [[11, 12, 13, 14, 15, 16]]])(
      'seeds %j: at each moment, one final result of every task',
      async (seeds) => {
        const postgres = await startPostgres();
        const home = mkdtempSync(join(tmpdir(), 'gatehouse-'));
        const platform = await openTestPlatform();
        const integrator = await spawnIntegrator({
          home,
          url: await postgres.newDatabase(),
          platform: platform.address,
        });
        const tasks = new TasksInFlight(platform, () => integrator.url);
        try {
          for (const seed of seeds) {
            for (const [place, moment] of moments.entries()) {
              const { promise, resolve } = Promise.withResolvers<void>();
              const nth = 1 + seeded(seed, place, tasksAtOnce / 2);
              tasks.send(tasksAtOnce, { moment, nth, seed, onStrike: resolve });
              await promise;
              await sleep(seeded(seed, place, 20));
              await postgres.crash();
            }
          }
          await tasks.allTaken();
          await until(() => nothingOpen(integrator).catch(() => false), 120_000).catch(() => {});
          expect(tasks.wrong()).toEqual([]);
          expect(await nothingOpen(integrator)).toBe(true);
          expect(await endIntegrator(integrator)).toBe(0);
        } finally {
          tasks.stop();
          integrator.child.kill('SIGKILL');
          await platform.close();
          await postgres.close();
          rmSync(home, { recursive: true, force: true });
        }
      },
      900_000,
    );
  },
);
