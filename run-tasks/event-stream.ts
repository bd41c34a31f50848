import { Readable } from 'node:stream';
import type { RouteAnswer } from './route.ts';

/** Answers with server-sent events as they come. A proxy before us passes each on at once. */
export function eventStream(events: AsyncIterable<string>): RouteAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: Readable.from(events, { objectMode: false }),
  };
}
