import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeaders } from '../core/run-task/signature.ts';
import { makeScratch } from './bench-project.ts';
import { type Figure, figure } from './figure.ts';
import { largePlan } from './large-plan.ts';
import { type ArrivalOptions, arrival } from './run-task-arrival.ts';
import { type IdleOptions, idle } from './run-task-idle.ts';
import { runTaskRequest } from './run-task-request.ts';
import {
  type BenchDatabase,
  openBenchDatabases,
  RunTaskPlatform,
  startGatehouseServe,
} from './run-task-services.ts';
import {
  type ReviewingOptions,
  type SustainedOptions,
  sustained,
  whileReviewing,
} from './run-task-sustained.ts';

interface RunTasksOptions {
  arrival?: ArrivalOptions;
  endToEnd?: EndToEndOptions;
  reviewing?: ReviewingOptions;
  sustained?: SustainedOptions;
  idle?: IdleOptions;
}

/** Run tasks: the rate of requests, the time to their results, and the cost of waiting. */
export async function runTasks(options: RunTasksOptions): Promise<Figure[]> {
  const scratch = await makeScratch('run-tasks');
  const { databases, close } = await openBenchDatabases(scratch.directory);
  try {
    const figures: Figure[] = [];
    const rates = new Map<BenchDatabase, number>();
    for (const database of databases) {
      const { figures: ofBurst, held } = await arrival(database, options.arrival ?? {});
      figures.push(...ofBurst);
      rates.set(database, Math.max(1, Math.round(held / 2)));
    }
    for (const database of databases) {
      figures.push(...(await whileReviewing(database, options.reviewing ?? {})));
    }
    for (const database of databases) {
      figures.push(...(await sustained(database, { rate: rates.get(database), ...options.sustained })));
    }
    for (const database of databases) figures.push(...(await endToEnd(database, options.endToEnd ?? {})));
    for (const database of databases) figures.push(...(await idle(database, options.idle ?? {})));
    if (databases.length === 1) {
      figures.push({ what: 'PostgreSQL', measured: 'skipped: no server of it is installed' });
    }
    return figures;
  } finally {
    await close();
    await scratch.remove();
  }
}

interface EndToEndOptions {
  /** Resources of the plan. Defaults to 500. */
  resources?: number;
  /** Defaults to 60. */
  requests?: number;
  /** Requests a second (open loop). Defaults to 6. */
  rate?: number;
}

/** Of each body. */
const bytes = 10_240;

/** Time from when a request is due to its final callback, including fetching and reviewing the plan. */
export async function endToEnd(
  database: BenchDatabase,
  { resources = 500, requests = 60, rate = 6 }: EndToEndOptions,
): Promise<Figure[]> {
  const platform = await RunTaskPlatform.open(JSON.stringify(largePlan(resources)));
  try {
    const server = await startGatehouseServe(await database.newStore(), platform.origin, {
      withPlatform: false,
    });
    try {
      const run = (id: string) => requestToFinal(platform, server.endpoint, id);
      // Warm up.
      for (let at = 0; at < Math.min(10, requests); at += 1) await run(`warm-${at}`);
      const running: Promise<number>[] = [];
      const begun = performance.now();
      for (let at = 0; at < requests; at += 1) {
        const due = begun + (at * 1000) / rate;
        await sleep(Math.max(0, due - performance.now()));
        running.push(run(`bench-${at}`).then(() => performance.now() - due));
      }
      const sorted = (await Promise.all(running)).sort((a, b) => a - b);
      const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
      return [
        figure(`${database.name}, request to final callback, ${resources} resources, p50`, at(0.5), ' ms'),
        figure(`  p99 of ${requests}, ${rate} a second`, at(0.99), ' ms'),
      ];
    } finally {
      await server.close();
    }
  } finally {
    await platform.close();
  }
}

async function requestToFinal(platform: RunTaskPlatform, endpoint: string, id: string): Promise<number> {
  const { body, signature } = runTaskRequest(platform.origin, id, bytes);
  const final = platform.final(id);
  const { status } = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [signatureHeaders[0]]: signature },
    body,
  });
  if (status !== 200) throw new Error(`the request was answered with ${status}`);
  return await final;
}
