import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Platform } from '../platform/platform.ts';
import { runEvents } from '../platform/run-events.ts';
import { listedRunOf, runViewOf } from '../platform/run-view.ts';
import type { RunsSource } from './views.ts';

/** The runs of a platform, for the pages. */
export function platformRuns(platform: Platform): RunsSource {
  return {
    list: async (filter) => (await platform.readRuns(filter)).map(listedRunOf),
    async read(id) {
      try {
        return runViewOf(await platform.readRun(id));
      } catch (error) {
        if (error instanceof GatehouseError && error.code === 'run_unknown') return undefined;
        throw error;
      }
    },
    events: (id) => runEvents(platform, id),
    decide: (id, choice) => platform.decide(id, choice),
    rerun: (id, by) => platform.rerun(id, by),
  };
}
