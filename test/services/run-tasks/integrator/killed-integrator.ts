import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { isFinal } from '../../../../core/run-task/result.ts';
import { Stage } from '../../../../core/run-task/stage.ts';
import {
  sendTask,
  type TaskBehaviour,
  TestPlatform,
  type TestTask,
} from '../../../../services/run-tasks/conformance/test-platform.ts';
import { describeOnBothDatabases, type TestedDatabase } from '../../../two-databases.ts';
import { until } from './running-integrator.ts';

const program = fileURLToPath(new URL('./dying-integrator.ts', import.meta.url));

/** Where the integrator is killed; the numbers are those of its steps. */
type Point = { name: string } & (
  | { statement: string; moment: 'before' | 'after' | 'before commit' | 'after commit' }
  | { platform: 'acknowledged' | 'plan' | 'running taken' | 'final refused' | 'final taken' }
);

export const points: Point[] = [
  { name: '3 stored, not committed', statement: 'INSERT INTO deliveries', moment: 'before commit' },
  { name: '3 committed, not answered', statement: 'INSERT INTO deliveries', moment: 'after commit' },
  { name: '4 answered 200', platform: 'acknowledged' },
  { name: '5 begun', statement: `SET status = 'working'`, moment: 'after' },
  { name: '5 plan asked for', platform: 'plan' },
  { name: '5 plan there', statement: 'reviews_begun + 1', moment: 'after' },
  { name: '6 running taken, not answered', platform: 'running taken' },
  { name: '7 result not committed', statement: `SET status = 'reviewed'`, moment: 'before commit' },
  { name: '7 result committed', statement: `SET status = 'reviewed'`, moment: 'after commit' },
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
export function testKilledIntegrator(seeds: number[], kinds: ('pglite' | 'postgres')[]): void {
  describeOnBothDatabases('an integrator that is killed with SIGKILL at every step', (databases) => {
    if (!kinds.includes(databases.kind)) {
      // The block of the other database is the long test's.
      test(`is tested there by the long test (${databases.kind})`, () =>
        expect(kinds).not.toContain(databases.kind));
      return;
    }
    // Most of a seed's time is waiting for processes to start.
    test(`seeds ${seeds.join(', ')}: ${points.length} kills each, one final result of every task`, async () => {
      const all = await Promise.allSettled(seeds.map((seed) => killAtEveryPoint(seed, databases)));
      for (const one of all) if (one.status === 'rejected') throw one.reason;
    }, 900_000);
  });
}

async function killAtEveryPoint(seed: number, databases: TestedDatabase): Promise<void> {
  const { url, home } = await databases.place();
  const platform = await TestPlatform.open();
  const tasks: TestTask[] = [];
  const sending: Promise<void>[] = [];
  const over = new AbortController();
  let living = await start({ home, url, platform });
  try {
    for (const [at, point] of points.entries()) {
      const nth = 1 + ((Math.imul(seed * 31 + at, 2_654_435_761) >>> 0) % (tasksAtOnce - 1));
      living = await replace(living, { home, url, platform, point, nth });
      const current = living;
      let left = nth;
      const strike = () => {
        left -= 1;
        if (left === 0) current.process.kill('SIGKILL');
        return left === 0;
      };
      const isPlan = 'platform' in point && point.platform === 'plan';
      const isAcknowledged = 'platform' in point && point.platform === 'acknowledged';
      for (let count = 0; count < tasksAtOnce; count += 1) {
        const stage = isPlan ? Stage.postPlan : Object.values(Stage)[(seed + count) % 4];
        const task = platform.newTask({ stage: stage ?? Stage.prePlan, ...deadly(point, strike) });
        tasks.push(task);
        sending.push(
          sendUntilTaken(task, () => living.url, isAcknowledged ? strike : () => false, over.signal),
        );
      }
      await ended(current.process);
      expect([seed, point.name, current.process.signalCode]).toEqual([seed, point.name, 'SIGKILL']);
    }
    living = await start({ home, url, platform });
    await Promise.all(sending);
    await until(() => nothingOpen(living), 120_000).catch(() => {});
    const wrong = tasks.filter((task) => task.finals.length !== 1 || new Set(finalsSent(task)).size !== 1);
    expect([seed, wrong.map(said)]).toEqual([seed, []]);
    expect([seed, await nothingOpen(living)]).toEqual([seed, true]);
    await end(living);
  } finally {
    over.abort();
    living.process.kill('SIGKILL');
    await platform.close();
  }
}

interface Living {
  process: ChildProcess;
  url: string;
}

async function start({
  home,
  url,
  platform,
  point,
  nth = 1,
}: {
  home: string;
  url: string | undefined;
  platform: TestPlatform;
  point?: Point;
  nth?: number;
}): Promise<Living> {
  const deadlyStatement =
    point !== undefined && 'statement' in point ? [point.statement, point.moment, String(nth)] : [];
  const child = spawn(process.execPath, [program, home, platform.address, ...deadlyStatement], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...(url === undefined ? {} : { DATABASE_URL: url }) },
  });
  const lines = createInterface(child.stdout);
  // What is left of earlier tasks may bring it to its point before it has said anything.
  const [address = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [])]);
  return { process: child, url: address };
}

/** The next one, once the one before is gone; one that dies of earlier tasks before it answers is as good. */
async function replace(before: Living, next: Parameters<typeof start>[0]): Promise<Living> {
  await end(before);
  return await start(next);
}

async function end({ process: child }: Living): Promise<void> {
  child.stdin?.end();
  await ended(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Whether the integrator has brought all that it took to an end. */
async function nothingOpen({ url }: Living): Promise<boolean> {
  const metrics = await fetch(new URL('/metrics', url));
  return metrics.ok && !/^gatehouse_deliveries_open\{/m.test(await metrics.text());
}

function deadly(point: Point, strike: () => boolean): Partial<TaskBehaviour> {
  if (!('platform' in point)) return {};
  switch (point.platform) {
    case 'plan':
      return { onPlan: () => void strike() };
    case 'running taken':
      return { onCallback: (_, result) => (result?.status === 'running' && strike() ? 'lose' : 'take') };
    case 'final taken':
      return { onCallback: (_, result) => (result && isFinal(result.status) && strike() ? 'lose' : 'take') };
    case 'final refused':
      return {
        onCallback: (_, result) => (result && isFinal(result.status) && strike() ? 'refuse' : 'take'),
      };
    case 'acknowledged':
      return {};
  }
}

/** As a platform does: until 200 is there. */
async function sendUntilTaken(
  task: TestTask,
  url: () => string,
  onTaken: () => boolean,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const answer = await sendTask(url(), task.payload, { key: 'k' }).catch(() => undefined);
    if (answer?.status === 200) break;
    await sleep(50);
  }
  onTaken();
}

function finalsSent({ callbacks }: TestTask): (string | undefined)[] {
  return callbacks.flatMap(({ result }) => (result && isFinal(result.status) ? [result.status] : []));
}

function said({ id, behaviour, callbacks }: TestTask): string {
  return `${id} ${behaviour.stage}: ${callbacks.map(({ result, answered }) => `${result?.status} ${answered}`).join(', ')}`;
}
