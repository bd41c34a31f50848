import type { Reply, SecretsRequest } from './path.ts';
import type { Refusal } from './refusal.ts';

/** What goes out: a status, and JSON unless it is 204 or leads elsewhere. */
export interface Answer {
  status: number;
  body?: Record<string, unknown>;
  /** Where a browser goes on. */
  location?: string;
}

/** Paths whose data real servers give twice: wrapped, and at the top beside it, as before there was a wrap. */
export const alsoAtTop =
  /^sys\/((auth|mounts|policy|capabilities|capabilities-self|capabilities-accessor)(\/|$)|remount$)/;

export function answerOf(request: Pick<SecretsRequest, 'id' | 'path'>, reply: Reply): Answer {
  const { data, auth, body, warnings, location } = reply;
  if (location !== undefined) return { status: 303, location };
  if (body !== undefined) return { status: reply.status ?? 200, body };
  if (data === undefined && auth === undefined && warnings === undefined) {
    return { status: reply.status ?? 204 };
  }
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
    status: reply.status ?? 200,
    body: alsoAtTop.test(request.path) ? { ...data, ...wrapped } : wrapped,
  };
}

export function refusalAnswer({ status, errors }: Pick<Refusal, 'status' | 'errors'>): Answer {
  return { status, body: { errors } };
}
