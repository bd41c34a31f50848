import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from './platform.ts';
import { isEnd } from './run.ts';
import { runWithTasksView } from './run-view.ts';

/** Milliseconds between looks at the run, which another process may change. */
const lookEveryMs = 250;
/** Milliseconds of silence before a comment that keeps the connection alive. */
const aliveEveryMs = 15_000;

/**
 * A run as server-sent events: the whole run at once, and again after every change until it has ended. A client that
 * reconnects needs no memory. The stream ends early if the platform stops.
 */
export async function* runEvents(
  platform: Pick<Platform, 'readRun' | 'readVersion' | 'isStopping'>,
  id: string,
): AsyncGenerator<string> {
  let seen = 0;
  for (let quietMs = 0; !platform.isStopping; quietMs += lookEveryMs) {
    if ((await platform.readVersion(id)) > seen) {
      const run = await platform.readRun(id);
      seen = run.version;
      quietMs = 0;
      const data = JSON.stringify(runWithTasksView(run));
      yield `event: run\nid: ${run.version}\ndata: ${data}\n\n`;
      if (isEnd(run.status)) return;
    } else if (quietMs >= aliveEveryMs) {
      quietMs = 0;
      yield ': alive\n\n';
    }
    await sleep(lookEveryMs);
  }
}
