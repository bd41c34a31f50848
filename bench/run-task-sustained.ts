import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, type Figure, figure } from './figure.ts';
import { largePlan } from './large-plan.ts';
import { residentMegabytes } from './processes.ts';
import { tell } from './run-task-arrival.ts';
import type { LoadResult } from './run-task-load.ts';
import { type BenchDatabase, RunTaskPlatform, startGatehouseServe } from './run-task-services.ts';

export interface ReviewingOptions {
  /** Resources of each plan. Defaults to 5,000. */
  resources?: number;
  /** Requests a second. Defaults to 10: each brings a review, which are far more than can be done. */
  rate?: number;
  /** Defaults to 10. */
  seconds?: number;
}

export interface SustainedOptions {
  /** Requests a second. Defaults to half of the highest rate of a burst. */
  rate?: number;
  /** Defaults to 300. */
  seconds?: number;
}

/** Limit of p99, in milliseconds. */
const limitMs = 50;
/** Of each body. */
const bytes = 10_240;
/** Seconds of one step of a long load: its requests are all in memory. */
const stepSeconds = 5;

/** How fast requests are answered while large plans are reviewed all the time. */
export async function whileReviewing(
  database: BenchDatabase,
  { resources = 5000, rate = 10, seconds = 10 }: ReviewingOptions,
): Promise<Figure[]> {
  return withServer(database, resources, async ({ step }) => {
    await step(rate, 1);
    const { p50, p99 } = await step(rate, seconds);
    return [
      figure(`${database.name}, answers while plans of ${resources} resources are reviewed, p50`, p50, ' ms'),
      atMost('  p99', p99, limitMs, ' ms'),
    ];
  });
}

/** Whether the reviews of small plans keep up with a long stream of requests, and what that does to memory. */
export async function sustained(
  database: BenchDatabase,
  { rate = 1, seconds = 300 }: SustainedOptions,
): Promise<Figure[]> {
  return withServer(database, 10, async ({ step, platform, pid }) => {
    await step(rate, Math.min(stepSeconds, seconds));
    const before = { finals: platform.finals, memory: residentMegabytes(pid) };
    const results: LoadResult[] = [];
    for (let at = 0; at < seconds; at += stepSeconds) {
      results.push(await step(rate, Math.min(stepSeconds, seconds - at)));
    }
    const sent = results.reduce((sum, one) => sum + one.sent, 0);
    const behind = Math.max(0, sent - (platform.finals - before.finals));
    const worst = Math.max(...results.map(({ p99 }) => p99));
    return [
      figure(`${database.name}, ${seconds} s at ${rate} /s: requests`, sent, ''),
      figure(
        '  failed',
        results.reduce((sum, one) => sum + one.failed, 0),
        '',
      ),
      atMost(`  p99 of the worst ${stepSeconds} s`, worst, limitMs, ' ms'),
      atMost('  seconds of it that reviews are behind at the end', behind / rate, 20, ' s'),
      figure('  resident memory at its beginning', before.memory, ' MB'),
      figure('  resident memory at its end', residentMegabytes(pid), ' MB'),
    ];
  });
}

interface Running {
  platform: RunTaskPlatform;
  pid: number;
  step(rate: number, seconds: number): Promise<LoadResult>;
}

async function withServer(
  database: BenchDatabase,
  resources: number,
  measure: (running: Running) => Promise<Figure[]>,
): Promise<Figure[]> {
  const platform = await RunTaskPlatform.open(JSON.stringify(largePlan(resources)));
  const load = fork(fileURLToPath(new URL('run-task-load.ts', import.meta.url)));
  const { origin } = platform;
  try {
    const server = await startGatehouseServe(await database.newStore(), origin, { withPlatform: false });
    let steps = 0;
    const step = (rate: number, seconds: number) => {
      steps += 1;
      const url = server.endpoint;
      return tell(load, { url, origin, rate, seconds, leadIn: 0, bytes, prefix: `long-${steps}` });
    };
    try {
      return await measure({ platform, pid: server.pid, step });
    } finally {
      await server.close();
    }
  } finally {
    load.kill();
    await platform.close();
  }
}
