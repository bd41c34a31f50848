import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDatabase } from './bench-databases.ts';
import { type Figure, figure } from './figure.ts';
import { startGatehouseServe } from './gatehouse-serve.ts';
import { storeOpenWork } from './open-work.ts';
import { cpuSeconds, residentMegabytes } from './process-cost.ts';
import { RunTaskPlatform } from './run-task-platform.ts';

export interface IdleOptions {
  /** Runs and deliveries that are open, each. Defaults to 0, 1,000 and 10,000. */
  counts?: readonly number[];
  /** Seconds that each process is watched. Defaults to 5. */
  seconds?: number;
  /** Seconds before that, for what a start causes. Defaults to 3. */
  settle?: number;
}

/** Milliseconds of processor time a second that may come on top of what an empty process takes. */
const mostMore = 10;
/** Times the memory of an empty process. */
const mostMemory = 1.1;

/** What `gatehouse serve` takes while it waits: for callbacks of runs, and for the plans of deliveries. */
export async function idle(
  database: BenchDatabase,
  { counts = [0, 1000, 10_000], seconds = 5, settle = 3 }: IdleOptions,
): Promise<Figure[]> {
  const costs: { cpu: number; memory: number }[] = [];
  const platform = await RunTaskPlatform.open({});
  try {
    for (const count of counts) {
      const store = await database.newStore();
      await storeOpenWork(store, count, platform.origin);
      const { pid, close } = await startGatehouseServe(store, platform.origin, { withPlatform: true });
      try {
        await sleep(settle * 1000);
        const before = cpuSeconds(pid);
        await sleep(seconds * 1000);
        const cpu = ((cpuSeconds(pid) - before) * 1000) / seconds;
        costs.push({ cpu, memory: residentMegabytes(pid) });
      } finally {
        await close();
      }
    }
  } finally {
    await platform.close();
  }
  const [first, last] = [costs.at(0) ?? nothing, costs.at(-1) ?? nothing];
  const more = last.cpu - first.cpu;
  const growth = last.memory / first.memory;
  return [
    ...counts.flatMap((count, at) => [
      figure(`${database.name}, ${count} open, CPU`, costs[at]?.cpu ?? 0, ' ms/s'),
      figure('  resident memory', costs[at]?.memory ?? 0, ' MB'),
    ]),
    {
      what: '  CPU, most against none',
      measured: `${more.toFixed(1)} ms/s`,
      aim: `flat: at most ${mostMore} ms/s more`,
      met: more <= mostMore,
    },
    {
      what: '  memory, most against none',
      measured: growth.toFixed(2),
      aim: `flat: at most ${mostMemory}`,
      met: growth <= mostMemory,
    },
  ];
}

const nothing = { cpu: 0, memory: Number.NaN };
