import type { Reply, SecretsPath, SecretsRequest } from '../src/protocol/path.ts';
import { RequestRefusal } from '../src/protocol/refusal.ts';
import { Router } from '../src/service/router.ts';
import type { Storage } from '../src/storage/storage.ts';

export interface PathCall {
  storage: Storage;
  now: bigint;
  namespace?: string;
}

/**
 * Calls the matching path without a service: no token, no policy. A refusal is returned as its status and errors.
 */
export function pathCaller(paths: SecretsPath[], { storage, now, namespace = '' }: PathCall) {
  const router = new Router(paths);
  return async (
    operation: SecretsRequest['operation'],
    path: string,
    given: object = {},
    query: Record<string, string> = {},
  ): Promise<Reply & { errors?: string[] }> => {
    const route = router.find({ storage, namespace }, path);
    const found = route?.path.operations[operation];
    if (route === undefined || found === undefined) throw new Error(`no path for ${operation} ${path}`);
    const body = JSON.parse(JSON.stringify(given));
    const request = { operation, path, namespace, body, query, isFolder: false };
    const context = { ...request, remoteAddress: '127.0.0.1', id: 'test', storage, now };
    try {
      return await storage.transaction(() => found.handle({ ...context, parameters: route.parameters }));
    } catch (error) {
      if (error instanceof RequestRefusal) return { status: error.status, errors: error.errors };
      throw error;
    }
  };
}
