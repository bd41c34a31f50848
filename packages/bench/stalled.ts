import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStallingClients } from '../../test/harness/stalling.ts';
import { openDatabase } from '../run-tasks/src/store/open-database.ts';
import { PlatformUnderTest } from '../run-tasks/test/platform/platform-under-test.ts';
import { callBack } from '../run-tasks/test/platform/scripted-integrator.ts';
import { type Bench, figure, mustBe, percentile } from './frame.ts';
import { makeScratch } from './project.ts';

/** Limit of p99, in milliseconds. */
const limitMs = 100;
const pauseMs = 20;

/** What a platform answers, and when, under clients that take what they can get. */
export const stalled: Bench = async ({ n = 300, rounds = 300 }, atEnd) => {
  const database = await openDatabase(undefined, join(await makeScratch(atEnd), 'store'));
  atEnd(() => database.close());
  const under = await PlatformUnderTest.start(database);
  atEnd(() => under.close());
  under.reset();
  const { run, request } = await under.asked('post_plan');
  for (const kind of ['slow', 'streams'] as const) {
    atEnd(await openStallingClients(kind, under.address, run.id, n));
  }
  await sleep(1100);
  const [ready, callbacks]: [number[], number[]] = [[], []];
  const timed = async (into: number[], ask: () => Promise<{ status: number }>) => {
    const began = performance.now();
    mustBe('status', (await ask()).status, 200);
    into.push(performance.now() - began);
    await sleep(pauseMs);
  };
  for (let round = 0; round < rounds; round += 1) {
    await timed(ready, async () => {
      const answer = await fetch(`${under.address}/ready`);
      await answer.arrayBuffer();
      return answer;
    });
    await timed(callbacks, () => callBack(request, 'running', { message: `round ${round}` }));
  }
  await callBack(request, 'passed');
  await under.ended(run.id);
  const p99 = (what: string, of: number[]) =>
    figure(`p99 of ${what}, ${n} slow bodies, ${n} streams`, percentile(of, 0.99), ' ms', limitMs);
  return [p99('/ready', ready), p99('a callback', callbacks)];
};
