import type { RunStatus } from '../../core/run-task/run.ts';
import type { TaskStatus } from '../../core/run-task/task-result.ts';
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import type { Work } from './work.ts';

export interface Parts {
  database: Database;
  /** Started. Its owner stops it before the database is closed. */
  queue: Queue;
  outbound: Pick<Outbound, 'request'>;
  work: Work;
  /** Public address of this platform, without a trailing slash; known once its server listens. */
  address: () => string;
  /** Version of Gatehouse, for the `User-Agent`. */
  version: string;
  now: () => number;
  log: Log;
  /** Aborted when this process stops. */
  stopping: AbortSignal;
  /** Called with the status that answered each request, or `none`. */
  onAnswer: (answer: string) => void;
  /** Called for each end once it is stored. */
  onEnd: (ended: { run: RunStatus } | { task: TaskStatus }) => void;
}
