import type { z } from 'zod';
import type { Json, Space } from '../storage/storage.ts';
import type { Granted, StoredToken } from '../tokens/token.ts';

/** `GET …?list=true` is `list`; POST and PUT are `update`. */
export type Operation = 'read' | 'update' | 'delete' | 'list';

/** A request with its path normalized and its body parsed. */
export interface SecretsRequest {
  operation: Operation;
  /** Below `/v1/`, decoded and normalized, without slashes at its ends. */
  path: string;
  /** Whether the path ended with a slash. */
  isFolder: boolean;
  /** Without slashes at its ends; empty for the root namespace. */
  namespace: string;
  /** From either dialect's header, or a bearer token. */
  token?: string;
  body: { [name: string]: Json };
  query: Record<string, string>;
  remoteAddress: string;
  id: string;
}

/** A request with what its handler needs; also the space of its namespace. */
export interface RequestContext extends SecretsRequest, Space {
  /** Values of the pattern's `:names`, and `mount` for `{mount}`; the others are empty. */
  parameters: Readonly<Record<'id' | 'name' | 'path' | 'role' | 'mount', string>>;
  /** Nanoseconds since 1970. */
  now: bigint;
  /** The caller's token; absent on paths that need none. */
  caller?: StoredToken;
  /** The access that the caller's policies granted. Absent before authorization, after a refusal, and on open paths. */
  granted?: Granted;
}

/** One of data, auth, body, text and location, or nothing (204). */
export interface Reply {
  /** Defaults to 200, and to 204 for an empty reply. */
  status?: number;
  data?: { [name: string]: unknown };
  auth?: { [name: string]: unknown };
  /** A body that is not wrapped (`sys/seal-status`). */
  body?: { [name: string]: unknown };
  /** Plain text instead of JSON (`sys/metrics`). */
  text?: string;
  /** Empty means none. */
  warnings?: string[];
  /** Redirects a browser, which follows with GET. */
  location?: string;
}

/**
 * Runs in one transaction; one that awaits others (an issuer) stores everything at the end, in a transaction of its own.
 *
 * @throws {Refusal}
 */
export type Handler = (context: RequestContext) => Promise<Reply> | Reply;

/**
 * An operation in the OpenAPI document; a test checks it against the service. The answer is `data`, `auth`, the
 * `whole` body if it is not wrapped, or `text`; without any of them it is empty (204).
 */
interface OperationSchema {
  /** Fields of the body. Handlers accept more (`fields.ts`), such as a number instead of a string. */
  body?: z.ZodType;
  query?: string[];
  data?: z.ZodType;
  auth?: z.ZodType;
  whole?: z.ZodType;
  text?: z.ZodType;
  /** Whether 204 is possible although there is an answer. Defaults to false. */
  mayBeEmpty?: boolean;
}

export interface PathOperation extends OperationSchema {
  summary: string;
  handle: Handler;
}

export function op(summary: string, handle: Handler, schema: OperationSchema = {}): PathOperation {
  return { summary, handle, ...schema };
}

/** One path of the API with its operations. */
export interface SecretsPath {
  /**
   * `sys/policies/acl/:name`; `sys/auth/:path+`, whose last parameter may hold slashes; `auth/{mount}/role/:name`,
   * where `{mount}` is the path of an auth method.
   */
  pattern: string;
  /**
   * True where the specification writes the path with a slash at its end. Policies on the path with the slash then
   * count for requests that have it. Defaults to false.
   */
  slashCounts?: boolean;
  /** True for paths that need no token. Defaults to false. */
  unauthenticated?: boolean;
  /** Whether an update needs `update` rather than `create`. Defaults to always `update`, as on most real paths. */
  exists?: (context: RequestContext) => boolean;
  operations: Partial<Record<Operation, PathOperation>>;
}

export function route(
  pattern: string,
  operations: SecretsPath['operations'],
  rest: Pick<SecretsPath, 'slashCounts' | 'exists'> = {},
): SecretsPath {
  return { pattern, operations, ...rest };
}

/** A path that can only be read. */
export function readOnly(pattern: string, ...read: Parameters<typeof op>): SecretsPath {
  return route(pattern, { read: op(...read) });
}

/** A path that can only be listed. */
export function listOnly(pattern: string, ...list: Parameters<typeof op>): SecretsPath {
  return route(pattern, { list: op(...list) });
}

/** A path that can only be written. */
export function writeOnly(pattern: string, ...update: Parameters<typeof op>): SecretsPath {
  return route(pattern, { update: op(...update) });
}

/** A path that needs no token. */
export function withoutToken(path: SecretsPath): SecretsPath {
  return { ...path, unauthenticated: true };
}
