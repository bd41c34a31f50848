import type { Reply, SecretsRequest } from './path.ts';
import { RequestRefusal } from './refusal.ts';

/** An HTTP response: JSON, plain text, a redirect or nothing. */
export interface HttpAnswer {
  status: number;
  body?: Record<string, unknown>;
  text?: string;
  location?: string;
}

/** Paths whose data real servers repeat at the top level, for older clients. */
export const alsoAtTop =
  /^sys\/((auth|mounts|policy|capabilities|capabilities-self|capabilities-accessor|audit|audit-hash)(\/|$)|remount$)/;

export function statusOf({ status, data, auth, body, text, warnings, location }: Reply): number {
  if (location !== undefined) return 303;
  const isEmpty = [data, auth, body, text].every((part) => part === undefined) && !warnings?.length;
  return status ?? (isEmpty ? 204 : 200);
}

export function answerOf(request: Pick<SecretsRequest, 'id' | 'path'>, reply: Reply): HttpAnswer {
  const { data, auth, body, text, warnings, location } = reply;
  const status = statusOf(reply);
  if (data === undefined && auth === undefined && !warnings?.length) {
    return { status, body, text, location };
  }
  const wrapped = {
    request_id: request.id,
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: data ?? null,
    wrap_info: null,
    warnings: warnings?.length ? warnings : null,
    auth: auth ?? null,
  };
  return {
    status,
    body: alsoAtTop.test(request.path) ? { ...data, ...wrapped } : wrapped,
  };
}

export function refusalAnswer({ status, errors }: Pick<RequestRefusal, 'status' | 'errors'>): HttpAnswer {
  return { status, body: { errors } };
}

/**
 * The value, if there is one.
 *
 * @throws {RequestRefusal} 404 for undefined
 */
export function orNotFound<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new RequestRefusal(404);
  return value;
}

/** A list of keys. An empty one is 404, as on real servers. */
export function keysReply(keys: string[]) {
  orNotFound(keys[0]);
  return { data: { keys } };
}

export function listReply(entries: (readonly [key: string, info: unknown])[]): Reply {
  const { keys } = keysReply(entries.map(([key]) => key)).data;
  return { data: { keys, key_info: Object.fromEntries(entries) } };
}
