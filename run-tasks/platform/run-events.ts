import { setTimeout as sleep } from 'node:timers/promises';
import { isEnd } from '../../core/run-task/run.ts';
import type { Platform } from './platform.ts';
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
  platform: Pick<Platform, 'readRun' | 'readProgress' | 'isStopping'>,
  id: string,
): AsyncGenerator<string> {
  let seen = '';
  for (let quietMs = 0; !platform.isStopping; quietMs += lookEveryMs) {
    const progress = JSON.stringify(await platform.readProgress(id));
    if (progress !== seen) {
      seen = progress;
      quietMs = 0;
      const run = await platform.readRun(id);
      yield `event: run\nid: ${run.version}\ndata: ${JSON.stringify(runViewOf(run))}\n\n`;
      if (isEnd(run.status)) return;
    } else if (quietMs >= aliveEveryMs) {
      quietMs = 0;
      yield ': alive\n\n';
    }
    await sleep(lookEveryMs);
  }
}
