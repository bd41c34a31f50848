import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type JsonApiError, jsonApiError, resultContentType } from '@gatehouse/core/run-task';
import type { PageAnswer } from '@gatehouse/host';
import { z } from 'zod';
import type { Log } from './log.ts';

/** A request as a route gets it, with its raw body, whatever its content type says. */
export interface RouteRequest {
  /** Of the sender; behind trusted proxies, the nearest one that is none of them. */
  address: string;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Adds the request's id to each line. */
  log: Log;
  /**
   * Has the request count for a person, once that is known, and no longer for its address.
   *
   * @param kind defaults to `request`; streams are counted apart
   * @throws TooMany if the person has too many: the server then answers by itself
   */
  countAs(person: string, kind?: 'request' | 'stream'): void;
}

export type RouteAnswer = Pick<PageAnswer, 'status'> & Partial<PageAnswer>;

/** A route of the run task server. Integrator, platform and pages each bring theirs. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** For example `/integrator/:endpoint`. */
  path: string;
  /** Largest body in bytes. Defaults to 1 MiB. */
  maxBytes?: number;
  /** For the OpenAPI document. Pages have none. */
  description?: Description;
  answer(request: RouteRequest): Promise<RouteAnswer>;
}

/** What clients may rely on, by the schemas that the route itself uses. */
export interface Description {
  summary: string;
  /** `bearer` for a token of the secrets service, or of an open task. */
  security: 'bearer' | 'none';
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Defaults to `application/json`. */
  bodyType?: string;
  /** By status: a schema of JSON, the content type of what has none, or `empty`. */
  answers: Record<number, { schema: z.ZodType } | 'empty' | `${string}/${string}`>;
  /** Of a refusal by the route. Defaults to errors of JSON:API, with which the server itself refuses. */
  refused?: z.ZodType;
}

export const refusedType = {
  schema: z.object({ errors: z.array(jsonApiError) }),
  type: resultContentType,
} as const;

export function jsonAnswer(status: number, body: unknown): RouteAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function jsonApiAnswer(status: number, errors: JsonApiError[]): RouteAnswer {
  return {
    status,
    headers: { 'content-type': resultContentType },
    // As bytes: Fastify adds a charset to a string, and JSON:API does not allow one.
    body: Buffer.from(JSON.stringify({ errors })),
  };
}

/** Server-sent events, each as it comes: the second header keeps proxies from buffering them. */
export function eventStream(events: AsyncIterable<string | Uint8Array>): PageAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: Readable.from(events, { objectMode: false }),
  };
}

/** The token of `Authorization: Bearer …`. */
export function tokenIn(authorization: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization ?? '')?.[1];
}
