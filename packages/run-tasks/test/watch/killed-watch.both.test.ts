import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { isIn } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothDatabases, describeOnPostgres } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { type SpawnedProgram, spawnProgram } from '../spawn-program.ts';
import type { WatchProcessArgs } from './watch-process.ts';

interface Line {
  at: number;
  name: string;
  what: string;
  id: string;
}

const started: SpawnedProgram[] = [];
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

async function spawnWatch(args: WatchProcessArgs): Promise<SpawnedProgram> {
  const spawned = spawnProgram(new URL('./watch-process.ts', import.meta.url), args);
  started.push(spawned);
  await spawned.line;
  return spawned;
}

function journalOf() {
  const journal = join(temporaryFolder(), 'journal');
  const lines = (): Line[] => {
    const text = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [at, name = '', what = '', id = ''] = line.split(' ');
        return { at: Number(at), name, what, id };
      });
  };
  return { journal, lines };
}

describeOnBothDatabases('a watch that is killed while it reads', (databases) => {
  test('leaves its stacks to the next process, which reads them soon', async () => {
    const place = await databases.place();
    const { journal, lines } = journalOf();
    const common = { ...place, ids: ['p/x'], everyMs: 600_000, journal };
    const first = await spawnWatch({ ...common, name: 'a', readMs: 600_000 });
    await until(() => lines().length === 1);
    first.child.kill('SIGKILL');
    await first.ended;
    await spawnWatch({ ...common, name: 'b', readMs: 10 });
    // After a lease and two looks, 25 seconds; their own time would come after ten minutes.
    await until(() => lines().some(({ name, what }) => name === 'b' && what === 'ends'));
  });
});

if (isIn('test:long')) {
  describeOnPostgres('three watches on one database', (databases) => {
    test('with different stacks, killed at random: each stack is read by one that has it, and none is left out', async () => {
      const place = await databases.place();
      const { journal, lines } = journalOf();
      const shared = Array.from({ length: 10 }, (_, at) => `p/shared-${at}`);
      const idsOf = { a: [...shared, 'p/a'], b: [...shared, 'q/b'], c: [...shared, 'r/c'] };
      const start = (name: keyof typeof idsOf) =>
        spawnWatch({ ...place, name, ids: idsOf[name], readMs: 100, everyMs: 2000, journal });
      const running = { a: await start('a'), b: await start('b'), c: await start('c') };
      const kills: number[] = [];
      for (const name of ['a', 'b', 'c', 'b', 'a'] as const) {
        await new Promise((resolve) => setTimeout(resolve, 3000 + Math.random() * 4000));
        running[name].child.kill('SIGKILL');
        await running[name].ended;
        kills.push(Date.now());
        running[name] = await start(name);
      }
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      const end = Date.now();
      for (const id of [...shared, 'p/a', 'q/b', 'r/c']) {
        const of = lines().filter((line) => line.id === id);
        const names = new Set(of.map(({ name }) => name));
        if (id === 'p/a') expect([...names]).toEqual(['a']);
        if (id === 'q/b') expect([...names]).toEqual(['b']);
        if (id === 'r/c') expect([...names]).toEqual(['c']);
        // Never two at a time: one that begins while another reads, only where that one was killed.
        const running = new Map<string, number>();
        for (const { at, name, what } of of) {
          if (what === 'ends') running.delete(name);
          else {
            for (const [other, since] of running) {
              if (other !== name) expect(kills.some((kill) => kill >= since && kill <= at)).toBe(true);
            }
            running.set(name, at);
          }
        }
        const ends = [...of.filter(({ what }) => what === 'ends').map(({ at }) => at), end];
        const gaps = ends.slice(1).map((at, index) => at - (ends[index] ?? 0));
        // The pause, a lease, the start of a process, and some time of a machine at work.
        expect(Math.max(...gaps)).toBeLessThan(2000 + 15_000 + 10_000);
      }
    }, 180_000);
  });
}
