import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Log } from './log.ts';

/** A request as a route gets it: the body as it came, whatever its content type says. */
export interface RouteRequest {
  /** Parts of the path, by the names that the route gave them. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Writes with the request's id. */
  log: Log;
}

export interface RouteAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
}

/** One thing that the run task server answers. Its parts (integrator, platform, pages) each bring theirs. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** For example `/integrator/:endpoint`. */
  path: string;
  /** Bytes that the body may have. Defaults to 1 MiB. */
  maxBytes?: number;
  answer(request: RouteRequest): Promise<RouteAnswer>;
}
