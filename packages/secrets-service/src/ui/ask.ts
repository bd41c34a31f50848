import { names } from '@gatehouse/core/values';
import type { Operation, Reply } from '../protocol/path.ts';
import { readRequest } from '../protocol/read-request.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import type { SecretsService } from '../service/service.ts';
import type { Json } from '../storage/storage.ts';

/** On whose behalf a page asks the service. */
export interface PageCaller {
  /** Absent for anonymous requests. */
  token?: string;
  /** Empty for the root namespace. */
  namespace: string;
}

interface PageQuestion {
  operation: Operation;
  /** Below `/v1/`, not encoded. */
  path: string;
  query?: Record<string, string>;
  body?: { [name: string]: Json };
}

/** @throws {RequestRefusal} */
export type Ask = (question: PageQuestion) => Promise<Reply>;

const methods: Record<Operation, string> = { read: 'GET', list: 'LIST', update: 'POST', delete: 'DELETE' };

/** Pages send the service ordinary requests with the caller's token, so they can do exactly what the caller can. */
export function createAsk(
  service: SecretsService,
  { token, namespace }: PageCaller,
  remoteAddress: string,
): Ask {
  const headers = {
    [names.vault.namespaceHeader.toLowerCase()]: namespace,
    [names.vault.tokenHeader.toLowerCase()]: token,
  };
  return async ({ operation, path, query = {}, body }) => {
    const request = readRequest({
      method: methods[operation],
      url: `/v1/${encodePath(path)}?${new URLSearchParams(query)}`,
      headers,
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      remoteAddress,
    });
    return service.handle(request);
  };
}

/** Encodes a path for a URL, except its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The text of a refusal, without the service's wrapping of inner errors. */
export function refusalText({ status, errors }: RequestRefusal): string {
  const texts = errors.map((text) => text.replace(/^\d+ errors? occurred:\s*\* /, '').trim());
  return texts.filter((text) => text !== '').join('; ') || `The service answered ${status}.`;
}

/** Whether the token itself is refused, because it has expired or is not valid from this address. */
export function isTokenRefused(error: unknown): boolean {
  return error instanceof RequestRefusal && error.status === 403 && error.errors[0] === 'permission denied';
}

/** Undefined if the caller's policies do not allow it. */
export async function allowed<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestRefusal && !isTokenRefused(error)) return undefined;
    throw error;
  }
}
