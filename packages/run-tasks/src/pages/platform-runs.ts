import type { ListedRun, RunView } from '@gatehouse/core/run-task';
import type { Choice } from '../platform/decide.ts';
import type { Platform } from '../platform/platform.ts';
import type { RunFilter } from '../platform/run-store.ts';
import { listedRunOf, runViewOf } from '../platform/run-view.ts';

/** The runs of a platform, for the pages. */
export function platformRuns(platform: Platform) {
  return {
    /** Newest first. */
    list: async (filter: RunFilter): Promise<ListedRun[]> =>
      (await platform.readRuns(filter)).map(listedRunOf),
    /** Undefined if there is no such run. */
    async read(id: string): Promise<RunView | undefined> {
      const run = await platform.findRun(id);
      return run && runViewOf(run);
    },
    /** Server-sent events: one named `run` at each change, until the run has ended. */
    events: (id: string): AsyncIterable<string | Uint8Array> => platform.events(id),
    /** Takes a person's decision. @throws GatehouseError why not */
    decide: (id: string, choice: Choice): Promise<unknown> => platform.decide(id, choice),
    /** @throws GatehouseError if the stack cannot be read */
    rerun: (id: string, by: string): Promise<{ id: string }> => platform.rerun(id, by),
  };
}
export type RunsSource = ReturnType<typeof platformRuns>;
