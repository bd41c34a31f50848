import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { PageAnswer } from '../web/pages/site.ts';
import type { Log } from './log.ts';

/** A request as a route gets it: the body as it came, whatever its content type says. */
export interface RouteRequest {
  /** Parts of the path, by the names in the route. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Writes with the request's id. */
  log: Log;
}

export type RouteAnswer = Pick<PageAnswer, 'status'> & Partial<PageAnswer>;

/** One thing that the run task server answers. Integrator, platform and pages each bring theirs. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** For example `/integrator/:endpoint`. */
  path: string;
  /** Bytes that the body may have. Defaults to 1 MiB. */
  maxBytes?: number;
  answer(request: RouteRequest): Promise<RouteAnswer>;
}

/** Answers with server-sent events as they come. A proxy in between passes each on at once. */
export function eventStream(events: AsyncIterable<string>): PageAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: Readable.from(events, { objectMode: false }),
  };
}
