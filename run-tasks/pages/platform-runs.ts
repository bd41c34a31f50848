import type { Platform } from '../platform/platform.ts';
import { runEvents } from '../platform/run-events.ts';
import { listedRunOf, runViewOf } from '../platform/run-view.ts';
import type { RunsSource } from './views.ts';

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
