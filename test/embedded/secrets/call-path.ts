import type {
  Reply,
  RequestContext,
  SecretsPath,
  SecretsRequest,
} from '../../../embedded/secrets/protocol/path.ts';
import { Refusal } from '../../../embedded/secrets/protocol/refusal.ts';
import type { Storage } from '../../../embedded/secrets/storage/storage.ts';

export interface PathCall {
  storage: Storage;
  now: bigint;
  namespace?: string;
}

/**
 * Calls the matching path without a service: no token, no policy. A refusal is returned as its status and errors.
 */
export function pathCaller(paths: SecretsPath[], call: PathCall) {
  return async (
    operation: SecretsRequest['operation'],
    path: string,
    body: object = {},
    query: Record<string, string> = {},
  ): Promise<Reply & { errors?: string[] }> => {
    for (const { pattern, operations } of paths) {
      const parameters = match(pattern, path);
      const handler = operations[operation];
      if (parameters === undefined || handler === undefined) continue;
      const request = {
        operation,
        path,
        namespace: call.namespace ?? '',
        body: JSON.parse(JSON.stringify(body)),
        query,
        isFolder: false,
        remoteAddress: '127.0.0.1',
        id: 'test',
      };
      const { storage, now } = call;
      try {
        return await handler({ request, parameters, storage, now } satisfies RequestContext);
      } catch (error) {
        if (error instanceof Refusal) return { status: error.status, errors: error.errors };
        throw error;
      }
    }
    throw new Error(`no path for ${operation} ${path}`);
  };
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const source = pattern.replace(/:\w+\+/g, '(.+)').replace(/:\w+/g, '([^/]+)');
  const found = new RegExp(`^${source}$`).exec(path);
  if (found === null) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']));
}
