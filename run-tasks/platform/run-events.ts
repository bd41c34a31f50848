import { setTimeout as sleep } from 'node:timers/promises';
import { isEnd } from '../../core/run-task/run.ts';
import type { Platform, RunWithTasks } from './platform.ts';
import { runViewOf } from './run-view.ts';

/** Milliseconds between looks at the run, which another process may change. */
const lookEveryMs = 250;
/** Milliseconds of silence before a comment that keeps the connection alive. */
const aliveEveryMs = 15_000;

/**
 * A run as server-sent events: the whole run at once, and again after every change until it has ended. A client that
 * reconnects needs no memory. The stream ends early if the platform stops.
 */
export async function* runEvents(
  platform: Pick<Platform, 'readRun' | 'readVersion' | 'readAhead' | 'isStopping'>,
  id: string,
): AsyncGenerator<string> {
  let seen = 0;
  /** What it waits behind may change while the run itself does not. */
  let ahead: string | undefined;
  for (let quietMs = 0; !platform.isStopping; quietMs += lookEveryMs) {
    const isNew = (await platform.readVersion(id)) > seen;
    if (isNew || (ahead !== undefined && keyOf(await platform.readAhead(id)) !== ahead)) {
      const run = await platform.readRun(id);
      seen = run.version;
      ahead = run.ahead && keyOf(run.ahead);
      quietMs = 0;
      const data = JSON.stringify(runViewOf(run));
      yield `event: run\nid: ${run.version}\ndata: ${data}\n\n`;
      if (isEnd(run.status)) return;
    } else if (quietMs >= aliveEveryMs) {
      quietMs = 0;
      yield ': alive\n\n';
    }
    await sleep(lookEveryMs);
  }
}

function keyOf(ahead: RunWithTasks['ahead']): string {
  return ahead === undefined ? '' : `${ahead.id} ${ahead.status}`;
}
