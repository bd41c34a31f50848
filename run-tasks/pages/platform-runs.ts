import type { ListedRun, RunView } from '../../core/run-task/run.ts';
import type { Choice } from '../platform/decide.ts';
import type { Platform } from '../platform/platform.ts';
import { runEvents } from '../platform/run-events.ts';
import { listedRunOf, runViewOf } from '../platform/run-view.ts';

/** The runs for the pages, and the actions on them. */
export interface RunsSource {
  /** Newest first. */
  list(filter: { stack?: string; limit: number }): Promise<ListedRun[]>;
  /** Undefined if there is no such run. */
  read(id: string): Promise<RunView | undefined>;
  /** Server-sent events: one named `run` at each change, until the run has ended. */
  events(id: string): AsyncIterable<string>;
  /** Takes a person's decision. @throws GatehouseError why not */
  decide(id: string, choice: Choice): Promise<unknown>;
  /** @throws GatehouseError if the stack cannot be read */
  rerun(id: string, by: string): Promise<{ id: string }>;
}

/** The runs of a platform, for the pages. */
export function platformRuns(platform: Platform): RunsSource {
  return {
    list: async (filter) => (await platform.readRuns(filter)).map(listedRunOf),
    async read(id) {
      const run = await platform.findRun(id);
      return run && runViewOf(run);
    },
    events: (id) => runEvents(platform, id),
    decide: (id, choice) => platform.decide(id, choice),
    rerun: (id, by) => platform.rerun(id, by),
  };
}
