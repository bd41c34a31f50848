import type { DirectoryAddresses } from '../../../../embedded/secrets/auth/workspace-suite.ts';

import { findMount } from '../../../../embedded/secrets/mounts/mount.ts';
import { statusOf } from '../../../../embedded/secrets/protocol/answer.ts';
import type { Operation, Reply, SecretsPath } from '../../../../embedded/secrets/protocol/path.ts';
import { Refusal } from '../../../../embedded/secrets/protocol/refusal.ts';
import { secretsPaths } from '../../../../embedded/secrets/service/service.ts';
import type { Json } from '../../../../embedded/secrets/storage/storage.ts';
import { MemoryStorage } from '../../../harness/memory-storage.ts';

export interface Call {
  operation: Operation;
  path: string;
  body?: object;
  query?: Record<string, string>;
  namespace?: string;
  remoteAddress?: string;
}

/** The handlers of all paths, without authorization, and with a clock that a test sets. */
export class AuthService {
  readonly storage = new MemoryStorage();
  readonly logged: string[] = [];
  now = BigInt(Date.now()) * 1_000_000n;
  readonly #paths: SecretsPath[];

  constructor(directories: DirectoryAddresses = {}) {
    this.#paths = secretsPaths({ log: (message) => this.logged.push(message), directories });
  }

  async call({ operation, path, body, query = {}, namespace = '', remoteAddress = '127.0.0.1' }: Call) {
    const request = { operation, path, namespace, body: (body ?? {}) as { [name: string]: Json }, query };
    try {
      const reply = await this.#route({ ...request, remoteAddress, id: 'test' });
      const { data, auth, location } = reply;
      const warnings = reply.warnings?.length ? reply.warnings : undefined;
      return { status: reply.status ?? statusOf(reply), data, auth, warnings, location } as Answer;
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, errors: error.errors } as Answer;
      throw error;
    }
  }

  /** Writes; a refusal fails the test. */
  async write(path: string, body: object): Promise<Answer> {
    const answer = await this.call({ operation: 'update', path, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.errors?.join()}`);
    return answer;
  }

  async #route(request: any): Promise<Reply> {
    for (const { pattern, operations } of this.#paths) {
      const parameters = this.#match(pattern, request);
      const handler = operations[request.operation as Operation];
      if (parameters === undefined) continue;
      if (handler === undefined) throw new Refusal(405, 'unsupported operation');
      return handler({ request, parameters, storage: this.storage, now: this.now });
    }
    throw new Refusal(404, `no handler for route "${request.path}". route entry not found.`);
  }

  #match(pattern: string, { path, namespace }: any): Record<string, string> | undefined {
    let rest: string = path;
    const parameters: Record<string, string> = {};
    const expression = pattern.replace('{mount}/', '');
    if (expression !== pattern) {
      const found = findMount(this.storage, namespace, path.replace(/^auth\//, ''));
      if (!path.startsWith('auth/') || found === undefined) return undefined;
      parameters['mount'] = found.mount.path;
      rest = `auth/${found.rest}`;
    }
    const source = expression.replace(/:(\w+)\+/g, '(?<$1>.+)').replace(/:(\w+)/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${source}$`).exec(rest);
    return match === null ? undefined : { ...parameters, ...match.groups };
  }
}

export interface Answer {
  status: number;
  data?: any;
  auth?: any;
  warnings?: string[];
  errors?: string[];
  location?: string;
}
