import { expect, test } from '@jest/globals';
import { seeded } from '../../../../test/harness/seeded.ts';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import { silent } from '../../src/log.ts';
import { makeTables } from '../../src/store/tables.ts';
import { Watch } from '../../src/watch/watch.ts';
import { WatchStore } from '../../src/watch/watch-store.ts';
import type { WatchReading } from '../../src/watch/watched-stack.ts';

const minute = 60_000;
/** Simulated milliseconds of a step. */
const stepMs = 2000;
const fine: WatchReading = {
  outcome: 'ok',
  summary: 'no drift',
  findings: [],
  unread: [],
  comparedWith: 'commit 1',
};

describeOnPglite('500 stacks in simulated time', (databases) => {
  test('each every 5 minutes by two processes that die again and again: none over 7 minutes old', async () => {
    const database = await databases.openDatabase();
    await makeTables(database);
    const begin = Date.UTC(2026, 10, 25);
    let now = begin;
    const store = new WatchStore(database, () => now);
    let drawn = 0;
    const random = () => seeded(30, drawn++, 1_000_000) / 1_000_000;
    const ids = Array.from({ length: 500 }, (_, at) => `p/stack-${at}`);
    /** Readings in progress, with the instant at which they end. */
    interface Open {
      process: number;
      endsAt: number;
      end: () => void;
    }
    let running: Open[] = [];
    const start = (process: number) =>
      new Watch({
        database,
        store,
        everyMs: 5 * minute,
        log: silent,
        random,
        timeLimitMs: 2 ** 30,
        listStacks: async () => ids,
        comparedWith: async () => 'commit 1',
        readStack: () =>
          new Promise((resolve) => {
            // One in fifty takes half a minute.
            const takesMs = random() < 0.02 ? minute / 2 : 500 + random() * 2500;
            running.push({ process, endsAt: now + takesMs, end: () => resolve(fine) });
          }),
      });
    const processes = [start(0), start(1)];
    const all = [...processes];
    let oldest = 0;
    let kills = 0;
    for (let nextKill = begin + minute; now < begin + 20 * minute; now += stepMs) {
      if (now > nextKill) {
        const which = random() < 0.5 ? 0 : 1;
        // Its readings never end, and it never looks again.
        running = running.filter(({ process }) => process !== which);
        const next = start(which);
        processes[which] = next;
        all.push(next);
        kills += 1;
        nextKill = now + (0.5 + random()) * minute;
      }
      for (const one of running.filter(({ endsAt }) => endsAt <= now)) one.end();
      running = running.filter(({ endsAt }) => endsAt > now);
      for (const one of processes) await one.look();
      const [row] = await database.query(`SELECT min(coalesce(read_at, $1)) AS oldest FROM watched_stacks`, [
        new Date(begin),
      ]);
      oldest = Math.max(oldest, now - ((row?.['oldest'] as Date | null)?.getTime() ?? now));
    }
    for (const one of all) await one.stop();
    expect(kills).toBeGreaterThan(10);
    expect(oldest / minute).toBeLessThan(7);
    expect(await database.query('SELECT count(*)::int AS count FROM watched_stacks')).toEqual([
      { count: 500 },
    ]);
  }, 600_000);
});
