import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type JsonApiError, jsonApiError, resultContentType } from '@gatehouse/core/run-task';
import type { PageAnswer } from '@gatehouse/host';
import { z } from 'zod';
import type { Log } from './log.ts';

/** A request to a route, with its raw body, whatever its content type. */
export interface RouteRequest {
  /** Address of the sender. Behind trusted proxies, the nearest address that is not one of theirs. */
  address: string;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Adds the request's id to each line. */
  log: Log;
  /**
   * Counts the request toward the limits of a person, and no longer toward those of its address.
   *
   * @param kind defaults to `request`; streams have a limit of their own
   * @throws TooMany if the person has too many; the server answers it
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

/** The contract of a route with its clients, by the schemas that the route itself uses. */
export interface Description {
  summary: string;
  /** `bearer` for a token of the secrets service, or of an open task. */
  security: 'bearer' | 'none';
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Defaults to `application/json`. */
  bodyType?: string;
  /** Answers by status: a schema of JSON, another content type, or `empty`. */
  answers: Record<number, { schema: z.ZodType } | 'empty' | `${string}/${string}`>;
  /** Schema of the route's refusals. Defaults to errors of JSON:API, the form of the server's own refusals. */
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
    // Bytes, because Fastify adds a charset to a string, and JSON:API does not allow one.
    body: Buffer.from(JSON.stringify({ errors })),
  };
}

/** Server-sent events, sent as they occur. `x-accel-buffering` keeps proxies from buffering them. */
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
