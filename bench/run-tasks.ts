import { openBenchDatabases } from './bench-databases.ts';
import { makeScratch } from './bench-project.ts';
import type { Figure } from './figure.ts';
import { type ArrivalOptions, arrival } from './run-task-arrival.ts';
import { type EndToEndOptions, endToEnd } from './run-task-end-to-end.ts';
import { type IdleOptions, idle } from './run-task-idle.ts';

export interface RunTasksOptions {
  arrival?: ArrivalOptions;
  endToEnd?: EndToEndOptions;
  idle?: IdleOptions;
}

/** The run tasks: how many requests are taken, how soon their results come, and what waiting costs. */
export async function runTasks(options: RunTasksOptions): Promise<Figure[]> {
  const scratch = await makeScratch('run-tasks');
  const { databases, close } = await openBenchDatabases(scratch.directory);
  try {
    const figures: Figure[] = [];
    for (const database of databases) figures.push(...(await arrival(database, options.arrival ?? {})));
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
