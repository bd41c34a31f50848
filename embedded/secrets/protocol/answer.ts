import type { Reply, SecretsRequest } from './path.ts';
import { Refusal } from './refusal.ts';

/** What goes out: a status, and JSON unless it is 204 or leads elsewhere. */
export interface Answer {
  status: number;
  body?: Record<string, unknown>;
  /** Plain text instead of JSON. */
  text?: string;
  /** Where a browser goes on. */
  location?: string;
}

/** Paths whose data real servers give twice: wrapped, and at the top level, as older clients expect. */
export const alsoAtTop =
  /^sys\/((auth|mounts|policy|capabilities|capabilities-self|capabilities-accessor|audit|audit-hash)(\/|$)|remount$)/;

export function statusOf({ status, data, auth, body, text, warnings, location }: Reply): number {
  if (location !== undefined) return 303;
  const isEmpty = [data, auth, body, text, warnings].every((one) => one === undefined);
  return status ?? (isEmpty ? 204 : 200);
}

export function answerOf(request: Pick<SecretsRequest, 'id' | 'path'>, reply: Reply): Answer {
  const { data, auth, body, text, warnings, location } = reply;
  const status = statusOf(reply);
  if (location !== undefined) return { status, location };
  if (text !== undefined) return { status, text };
  if (body !== undefined) return { status, body };
  if (data === undefined && auth === undefined && warnings === undefined) return { status };
  const wrapped = {
    request_id: request.id,
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: data ?? null,
    wrap_info: null,
    warnings: warnings ?? null,
    auth: auth ?? null,
  };
  return {
    status,
    body: alsoAtTop.test(request.path) ? { ...data, ...wrapped } : wrapped,
  };
}

export function refusalAnswer({ status, errors }: Pick<Refusal, 'status' | 'errors'>): Answer {
  return { status, body: { errors } };
}

/** A list of records by their keys, with what is told of each. As real servers do, none at all is not found. */
export function listReply(entries: (readonly [key: string, info: unknown])[]): Reply {
  if (entries.length === 0) throw new Refusal(404);
  return { data: { keys: entries.map(([key]) => key), key_info: Object.fromEntries(entries) } };
}
