import type { Metrics } from '../metrics.ts';
import { openByStatus } from '../open-by-status.ts';
import type { Database } from '../store/database.ts';
import type { Ended } from './run-flow.ts';

/** The platform's part of the metrics. @returns what counts the ends, and the answers to run task requests */
export function platformFigures(metrics: Metrics, database: Database) {
  metrics.gauge('gatehouse_runs_open', 'Runs without an end, by status.', () =>
    openByStatus(database, 'runs'),
  );
  const runs = metrics.counter('gatehouse_runs_ended_total', 'Runs that ended, by status.');
  const tasks = metrics.counter('gatehouse_task_results_ended_total', 'Task results that ended, by status.');
  const requests = metrics.counter(
    'gatehouse_task_requests_total',
    'Run task requests sent, by status of the answer.',
  );
  return {
    onEnd: (ended: Ended) => ('run' in ended ? runs({ status: ended.run }) : tasks({ status: ended.task })),
    onAnswer: (answer: string) => requests({ answer }),
  };
}
