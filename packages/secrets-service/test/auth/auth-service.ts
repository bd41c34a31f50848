import { rootToken } from '../../../../test/harness/embedded-service.ts';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import type { DirectoryAddresses } from '../../src/auth/workspace-suite.ts';
import { statusOf } from '../../src/protocol/answer.ts';
import type { Operation } from '../../src/protocol/path.ts';
import { RequestRefusal } from '../../src/protocol/refusal.ts';
import { SecretsService } from '../../src/service/service.ts';
import type { Json } from '../../src/storage/storage.ts';
import { rootTokenOf } from '../../src/tokens/create-token.ts';

export interface Call {
  operation: Operation;
  path: string;
  body?: object;
  query?: Record<string, string>;
  namespace?: string;
  /** Defaults to root's. */
  token?: string;
  remoteAddress?: string;
}

/** A service without HTTP, called as root, with a clock that a test sets. */
export class AuthService {
  readonly storage = new MemoryStorage();
  readonly logged: string[] = [];
  now = BigInt(Date.now()) * 1_000_000n;
  readonly #service: SecretsService;

  constructor(directories: DirectoryAddresses = {}) {
    rootTokenOf(this.storage, this.now, rootToken);
    const log = (message: string) => void this.logged.push(message);
    this.#service = new SecretsService({ storage: this.storage, now: () => this.now, log, directories });
  }

  async call({ body = {}, ...call }: Call) {
    const byDefault = { query: {}, namespace: '', token: rootToken, remoteAddress: '127.0.0.1' };
    const request = { ...byDefault, ...call, body: body as { [name: string]: Json } };
    try {
      const reply = await this.#service.handle({ ...request, isFolder: false, id: 'test' });
      const { data, auth, location } = reply;
      const warnings = reply.warnings?.length ? reply.warnings : undefined;
      return { status: reply.status ?? statusOf(reply), data, auth, warnings, location } as Answer;
    } catch (error) {
      if (error instanceof RequestRefusal) return { status: error.status, errors: error.errors } as Answer;
      throw error;
    }
  }

  /** Writes; a refusal fails the test. */
  async write(path: string, body: object): Promise<Answer> {
    const answer = await this.call({ operation: 'update', path, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.errors?.join()}`);
    return answer;
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
