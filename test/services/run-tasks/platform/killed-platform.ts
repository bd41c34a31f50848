import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../services/run-tasks/store/open-database.ts';
import { describeOnBothDatabases } from '../../../two-databases.ts';
import { freePort } from './platform-under-test.ts';
import { callBack, type ScriptedIntegrator, startScriptedIntegrator } from './scripted-integrator.ts';
import { type KillPoint, killPoints, spawnPlatform } from './spawn-platform.ts';

/** How often a run comes by a point, at least: the fatal time is one of them, by the seed. */
const passages: Record<KillPoint, number> = {
  'before a commit': 15,
  'after a commit': 15,
  'before a request': 4,
  'after a request': 4,
  'in the midst of a plan': 2,
  'in the midst of an apply': 2,
  'after an apply': 2,
  'before an answer': 8,
};

/** What an integrator was answered to its final results, by task result. */
type Finals = Map<string, number[]>;

/**
 * Platforms on one database, one after the other, each killed with SIGKILL at one of the points. The last one is let
 * live: every run must come to its end, with one final result of each task, and without an apply that was not let in.
 */
export function testKilledPlatform(seeds: number[]): void {
  describeOnBothDatabases('platforms that were killed with SIGKILL', (databases) => {
    let folder: string;
    let integrator: ScriptedIntegrator;
    let finals: Finals;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'gatehouse-killed-'));
      integrator = await startScriptedIntegrator();
      finals = new Map();
      integrator.answer = ({ payload }) => {
        void review(payload, finals);
        return 200;
      };
    });
    afterEach(() => {
      integrator.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test(`at every point, by seeds ${seeds.join(', ')}, leave each run to those that come after them`, async () => {
      const place = await databases.place();
      const journal = join(folder, 'journal');
      const shared = { ...place, port: await freePort(), integrator: integrator.address, journal };
      const acknowledged: string[] = [];
      for (const [index, point] of killPoints.entries()) {
        for (const seed of seeds) {
          const count = 1 + ((Math.imul(seed, 2_654_435_761) >>> 0) % passages[point]);
          const stacks = [`stack-${index}-${seed}-a`, `stack-${index}-${seed}-b`];
          const killed = spawnPlatform({ ...shared, stacks, kill: { point, count } });
          if (await killed.isReady) acknowledged.push(...stacks);
          expect([point, seed, count, await killed.ended]).toEqual([point, seed, count, 'SIGKILL']);
        }
      }
      expect(await spawnPlatform({ ...shared, stacks: [] }).ended).toBe(0);

      const database = await openDatabase(place.url, place.home);
      const runs = await database.query('SELECT * FROM runs');
      const tasks = await database.query('SELECT * FROM task_results');
      await database.close();
      // A run that was said to be made is there.
      expect(acknowledged.length).toBeGreaterThan(seeds.length);
      expect(runs.map(({ stack }) => stack)).toEqual(expect.arrayContaining(acknowledged));
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied']));
      for (const { id, apply_begun_at: begun } of runs) {
        const own = tasks.filter(({ run }) => run === id);
        expect(own.map(({ stage }) => stage).sort()).toEqual([
          'post_apply',
          'post_plan',
          'pre_apply',
          'pre_plan',
        ]);
        expect(own.every(({ status, ended_at: ended }) => status === 'passed' && ended !== null)).toBe(true);
        const before = own
          .filter(({ stage }) => stage !== 'post_apply')
          .map(({ ended_at: ended }) => ended as Date);
        expect(Math.max(...before.map(Number))).toBeLessThanOrEqual(Number(begun));
      }
      for (const answers of finals.values()) {
        expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      }
      checkJournal(journal);
    }, 900_000);
  });
}

/** Reports as an integrator that does not give up. */
async function review(payload: any, finals: Finals): Promise<void> {
  for (const status of ['running', 'passed']) {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const answer = await callBack(payload, status, { outcomes: [{ id: 'a', description: 'one' }] }).catch(
        () => undefined,
      );
      if (answer !== undefined && status === 'passed') {
        finals.set(payload.task_result_id, [...(finals.get(payload.task_result_id) ?? []), answer.status]);
      }
      if (answer?.status === 200 || answer?.status === 422) break;
      await sleep(100);
    }
  }
}

/** No apply without three passes, and no second one of a stack that does not know that it is. */
function checkJournal(path: string): void {
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const begun = new Set<string>();
  for (const { what, stack, passes, isResumed } of lines) {
    if (what !== 'apply') continue;
    // One that was killed right after it was recorded as begun has left no line here.
    expect([stack, passes, isResumed || !begun.has(stack)]).toEqual([stack, 3, true]);
    begun.add(stack);
  }
}
