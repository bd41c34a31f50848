import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn, someOf } from '../../../../test/harness/long-run.ts';
import { isEnd } from '../../../core/src/run-task/run.ts';
import type { DeclaredRunTask } from '../../src/platform/work.ts';
import { begin, keyOf, type ModelArgs, movesFrom, type World } from './protocol-model.ts';

const task = (
  name: string,
  stages: DeclaredRunTask['stages'],
  enforcement: DeclaredRunTask['enforcement'] = 'mandatory',
): DeclaredRunTask => ({ name, url: `https://${name}.example.com`, stages, enforcement });

const hasFinished = ({ runs }: World) => runs.every(({ run }) => isEnd(run.status));

/**
 * Goes through every world that can be reached, one by one. The model throws if a run is applied with the gate closed, or a
 * final result changes.
 *
 * @returns how many there are, how runs end, and the worlds from which a run may never end
 */
function explore(args: ModelArgs): { worlds: number; ends: Set<string>; stuck: string[] } {
  const first = begin(args);
  const numbers = new Map([[keyOf(first), 0]]);
  const worlds: (World | undefined)[] = [first];
  /** For each world those from which the platform, or a person who discards, gets there without anybody else. */
  const sources: number[][] = [[]];
  const ends = new Set<string>();
  const done: number[] = [];
  for (let at = 0; at < worlds.length; at += 1) {
    const world = worlds[at] as World;
    // Only those ahead are needed.
    worlds[at] = undefined;
    if (hasFinished(world)) {
      done.push(at);
      // What is left are jobs that find nothing to do.
      continue;
    }
    for (const { by, name, to } of movesFrom(world, args)) {
      for (const { run } of to.runs) if (isEnd(run.status)) ends.add(run.status);
      const key = keyOf(to);
      let number = numbers.get(key);
      if (number === undefined) {
        number = worlds.length;
        numbers.set(key, number);
        worlds.push(to);
        sources.push([]);
      }
      if (by === 'platform' || (by === 'person' && name.startsWith('discarded'))) sources[number]?.push(at);
    }
  }
  const reached = new Set(done);
  for (const at of reached) for (const source of sources[at] ?? []) reached.add(source);
  const stuck = [...numbers].filter(([, number]) => !reached.has(number)).map(([key]) => key);
  return { worlds: worlds.length, ends, stuck };
}

const two = [task('review', ['post_plan']), task('advice', ['post_plan'], 'advisory')];

/** @param walks how many random ones */
function testInterleavings(workers: number, walks: number): void {
  const shared = { runs: 2, workers, isRunningReported: false, retries: 0 };
  describe(`every interleaving of two runs and ${workers} workers, with crashes, losses, duplicates and time-outs`, () => {
    test.each(
      someOf<[string, ModelArgs, string[]]>(4, [
        [
          'two tasks, one of them advisory',
          { ...shared, tasks: two },
          ['applied', 'canceled', 'errored', 'stopped'],
        ],
        [
          'two tasks, a failure that may be accepted, a plan that is confirmed',
          {
            ...shared,
            tasks: two,
            decisions: { confirm: 'always', acceptWith: { namespace: '', name: 'accept' } },
          },
          ['applied', 'canceled', 'discarded', 'errored'],
        ],
        [
          'a gate after the confirmation',
          { ...shared, tasks: [task('gate', ['pre_apply'])], decisions: { confirm: 'always' } },
          ['applied', 'canceled', 'discarded', 'errored', 'stopped'],
        ],
        [
          'a task that is retried, and may be accepted',
          {
            ...shared,
            retries: 1,
            tasks: [task('review', ['post_plan'])],
            decisions: { confirm: 'never', acceptWith: { namespace: '', name: 'accept' } },
          },
          ['applied', 'canceled', 'discarded', 'errored'],
        ],
      ]),
    )(
      '%s: the gate holds, results stay, and no run is stuck',
      (_, args, expected) => {
        const { worlds, ends, stuck } = explore(args);
        expect(worlds).toBeGreaterThan(1000);
        expect(stuck.slice(0, 3)).toEqual([]);
        expect([...ends].sort()).toEqual(expected);
      },
      300_000,
    );
  });

  const large: ModelArgs = {
    runs: 3,
    workers: 3,
    retries: 3,
    isRunningReported: true,
    tasks: [
      task('review', ['pre_plan', 'post_plan', 'pre_apply', 'post_apply']),
      task('second', ['post_plan', 'pre_apply']),
      task('advice', ['post_plan'], 'advisory'),
    ],
    decisions: { confirm: 'always', acceptWith: { namespace: '', name: 'accept' } },
  };
  test(`${walks} long interleavings of three runs with every stage: the platform ends each run by itself`, () => {
    const ends = new Set<string>();
    let statuses = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 200, maxLength: 400 }), (choices) => {
        let world = begin(large);
        for (const choice of choices) {
          // Whatever may end a run at any time would end nearly all of them early.
          const rare = choice % 50 === 0 ? /^$/ : /^canceled|^discarded|failed/;
          const moves = movesFrom(world, large).filter(({ name }) => !rare.test(name));
          const chosen = moves[choice % Math.max(1, moves.length)];
          if (chosen === undefined) break;
          world = chosen.to;
          for (const { run } of world.runs) statuses.add(run.status);
        }
        for (const { run } of finished(world, large).runs) ends.add(run.status);
      }),
      { numRuns: walks, seed: 14 },
    );
    expect([...ends].sort()).toEqual(['applied', 'canceled', 'discarded', 'errored', 'stopped']);
    statuses = new Set([...statuses].filter((status) => !ends.has(status)));
    expect([...statuses].sort()).toEqual([
      'applying',
      'pending',
      'planning',
      'post_apply',
      'post_plan',
      'pre_apply',
      'pre_plan',
      'waiting_for_acceptance',
      'waiting_for_confirmation',
    ]);
  }, 300_000);
}

/** A world that is left to the platform alone: integrators say nothing more, and whoever has to decide discards. */
function finished(from: World, args: ModelArgs): World {
  let world = from;
  for (let steps = 0; !hasFinished(world); steps += 1) {
    const next = movesFrom(world, args).find(
      ({ by, name }) => name.startsWith('discarded') || (by === 'platform' && !/lost$/.test(name)),
    );
    if (next === undefined || steps > 1000) throw new Error(`stuck: ${keyOf(world)}`);
    world = next.to;
  }
  return world;
}

// Three workers take ten times as long.
if (isIn('npm test')) testInterleavings(2, 30);
else testInterleavings(3, 1000);
