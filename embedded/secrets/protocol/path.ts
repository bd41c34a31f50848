import type { Json, Storage } from '../storage/storage.ts';
import type { Token } from '../tokens/token.ts';

/** What a request does, whatever HTTP method said so: `GET …?list=true` is `list`; POST and PUT are `update`. */
export type Operation = 'read' | 'update' | 'delete' | 'list';

/** A request after its path was normalised and its body read. */
export interface SecretsRequest {
  operation: Operation;
  /** Below `/v1/`, decoded and normalised, without slashes at its ends. */
  path: string;
  /** Without slashes at its ends; empty for the root namespace. */
  namespace: string;
  /** The client token, in either spelling of the header or as a bearer token. */
  token?: string;
  /** The JSON body; empty for none. */
  body: { [name: string]: Json };
  query: Record<string, string>;
  /** Address of the caller, for `token_bound_cidrs`. */
  remoteAddress: string;
  id: string;
}

/** What a handler has to work with. */
export interface RequestContext {
  request: SecretsRequest;
  /** What the `:names` of the pattern stand for; `mount` for `{mount}`. */
  parameters: Record<string, string>;
  storage: Storage;
  /** The clock, in nanoseconds since 1970. */
  now: bigint;
  /** Who asks; absent on paths that need no token. */
  caller?: Token;
}

/** An answer: one of data, auth, body, text and location, or nothing at all (204). */
export interface Reply {
  /** Defaults to 200, and to 204 for an empty reply. */
  status?: number;
  data?: { [name: string]: unknown };
  auth?: { [name: string]: unknown };
  /** The whole body, where the service does not wrap it (`sys/seal-status`). */
  body?: { [name: string]: unknown };
  /** Plain text instead of JSON (`sys/metrics`). */
  text?: string;
  warnings?: string[];
  /** URL at which a browser goes on with GET; nothing else is answered then. */
  location?: string;
}

export type Handler = (context: RequestContext) => Promise<Reply> | Reply;

/**
 * One path of the service's API and what can be done there. A handler may await what lies outside (an issuer); what
 * it stores, it stores in one transaction at the end. It throws `Refusal`.
 */
export interface SecretsPath {
  /**
   * `sys/policies/acl/:name`; `sys/auth/:path+`, where the last parameter may hold slashes; `auth/{mount}/role/:name`,
   * where `{mount}` is the path of an auth method and is looked up before the rest is matched.
   */
  pattern: string;
  /** True for paths that need no token (login). Defaults to false. */
  unauthenticated?: boolean;
  /**
   * Whether what an update is for is there already: `update` is needed then, and `create` where it is not. Defaults to
   * `update` always, as real servers do on most paths.
   */
  exists?: (context: RequestContext) => boolean;
  operations: Partial<Record<Operation, Handler>>;
}
