import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { postgresPrograms, startPostgres } from '../../../../test/harness/postgres.ts';
import { seeded } from '../../../../test/harness/seeded.ts';
import { lastingPort } from '../../../../test/harness/server-process.ts';
import { expectApplied } from './expect-applied.ts';
import { startReviewingIntegrator } from './reviewing-integrator.ts';
import { spawnPlatform } from './spawn-platform.ts';

/** Runs at once, and so four times as many requests in all. */
const stacks = Array.from({ length: 12 }, (_, index) => `stack-${index}`);
/** Requests between two ends of the database, at least. */
const between = 8;
const endsOfEach = Math.floor((4 * stacks.length) / (2 * between)) - 1;

/**
 * PostgreSQL is ended at once and started again, at moments that the seeds choose, while a platform works on runs and
 * takes callbacks. It goes on by itself, and brings every run to its end.
 */
(postgresPrograms === undefined ? describe.skip : describe)(
  'a platform whose PostgreSQL is ended at once',
  () => {
    test.each([1, 11, 14])(
      `seed %i: ${endsOfEach} times, every run comes to its end`,
      async (seed) => {
        const postgres = await startPostgres();
        const home = mkdtempSync(join(tmpdir(), 'gatehouse-'));
        const integrator = await startReviewingIntegrator();
        const place = { home, url: await postgres.newDatabase() };
        const journal = join(home, 'journal');
        const shared = { ...place, port: await lastingPort(), integrator: integrator.address, journal };
        // Its plans and applies take longer than the database takes to come back, some of them.
        const platform = spawnPlatform({ ...shared, stacks, planMs: 300 });
        try {
          expect(await platform.line).toBe('ready');
          for (let place = 0; place < endsOfEach; place += 1) {
            await requests(integrator, between + seeded(seed, place, between));
            await sleep(seeded(seed, place + endsOfEach, 50));
            await postgres.crash();
          }
          expect(await platform.ended).toBe(0);
          await expectApplied({ place, journal, integrator, acknowledged: stacks });
        } finally {
          platform.child.kill('SIGKILL');
          integrator.close();
          await postgres.close();
          rmSync(home, { recursive: true, force: true });
        }
      },
      300_000,
    );
  },
);

/** Settles when so many more requests have come. */
async function requests(integrator: { onRequest: () => void }, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  integrator.onRequest = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  await promise;
}
